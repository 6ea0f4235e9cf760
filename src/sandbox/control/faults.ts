/** Faults: rules that delay, replace or interrupt responses. They are rows of the state, so they survive a restart. */

import { type Endpoint, methods } from '../../spec/endpoint.ts';
import { percentDecoded } from '../../support/url.ts';
import { root } from '../core/router.ts';
import type { Row } from '../core/rows.ts';
import { drawAt } from '../seed/random.ts';
import type { Store } from '../store/store.ts';
import { ControlError, membersOf, numberIn } from './input.ts';
import type { Fault } from './types.ts';

interface FaultRow extends Row {
  fault: Fault;
  /** Matching requests so far. */
  draws: number;
}

interface Pattern {
  readonly method: string;
  readonly segments: readonly string[];
}

const maxSeed = 2 ** 32 - 1;
const ranges = {
  status: { min: 400, max: 599 },
  retry_after: { min: 0, max: 86_400 },
  latency: { min: 0, max: 600_000 },
  times: { min: 1, max: Number.MAX_SAFE_INTEGER },
  probability: { min: 0, max: 1, integer: false },
  seed: { min: 0, max: maxSeed },
} as const;
type Numbers = { readonly [name in keyof typeof ranges]?: number | undefined };
const maxFaults = 1_000;

/** Return the decoded segments of a path below /api/v4, or of another path. */
function segmentsOf(path: string): string[] {
  const below = path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : path;
  return below
    .split('/')
    .filter((segment) => segment !== '')
    .map(percentDecoded);
}

const example = '"POST /projects/*/variables"';

/** @throws ControlError for an invalid pattern */
function patternOf(match: unknown): Pattern {
  const words = typeof match === 'string' ? match.trim().split(/\s+/) : [];
  const [path = '', given = '*', ...others] = words.reverse();
  if (others.length > 0 || !path.includes('/') || /[?#]/.test(path))
    throw new ControlError(`match must be a method and a path, such as ${example}`);
  if (!path.startsWith('/')) throw new ControlError(`the path of match must start with /, as in ${example}`);
  const method = given.toUpperCase();
  if (method !== '*' && !methods.some((one) => one === method))
    throw new ControlError(
      `unknown method ${JSON.stringify(given)} in match; methods: ${methods.join(', ')}, *`,
    );
  return { method, segments: segmentsOf(path) };
}

/** Whether a path matches a pattern, in which `*` is one segment and `**` any number. */
function matchesPath(
  pattern: readonly string[],
  path: readonly string[],
  isEqual = (one: string, other: string) => one === other,
): boolean {
  const matches = (at: number, index: number): boolean => {
    const wanted = pattern[at];
    const segment = path[index];
    if (wanted === undefined) return segment === undefined;
    if (wanted === '**') return matches(at + 1, index) || (segment !== undefined && matches(at, index + 1));
    return (
      segment !== undefined && (wanted === '*' || isEqual(wanted, segment)) && matches(at + 1, index + 1)
    );
  };
  return matches(0, 0);
}

/** Whether a request to one of the endpoints can match. @throws ControlError for an invalid pattern */
export function canMatch(match: string, endpoints: readonly Pick<Endpoint, 'method' | 'path'>[]): boolean {
  const { method, segments } = patternOf(match);
  const hasMethod = (one: string) => method === '*' || method === one || (method === 'HEAD' && one === 'GET');
  // A parameter of a route can have any value.
  const isServed = (segment: string, part: string) => part.startsWith(':') || segment === part;
  return endpoints.some(
    (one) => hasMethod(one.method) && matchesPath(segments, segmentsOf(one.path), isServed),
  );
}

/** Check a fault, and return it with only the members that are set. @throws ControlError */
function checked(value: unknown): Fault {
  const given = membersOf(value, 'a fault', ['match', 'cut', ...Object.keys(ranges)]);
  const { match, cut } = given;
  const { segments } = patternOf(match);
  if (segments.filter((segment) => segment === '**').length > 2)
    throw new ControlError('match must contain ** at most twice');
  if (cut !== undefined && cut !== 'headers' && cut !== 'body')
    throw new ControlError('cut must be "headers" or "body"');
  const numbers: Numbers = Object.fromEntries(
    Object.entries(ranges).map(([name, range]) => [name, numberIn(given[name], name, range)]),
  );
  const { status, retry_after, latency, times, probability, seed } = numbers;
  if (probability === 0) throw new ControlError('probability must be greater than 0');
  if (status === undefined && latency === undefined && cut === undefined)
    throw new ControlError('a fault requires status, latency or cut');
  if (retry_after !== undefined && status === undefined)
    throw new ControlError('retry_after requires status');
  if (seed !== undefined && probability === undefined) throw new ControlError('seed requires probability');
  const all = {
    match: String(match).trim(),
    status,
    retry_after,
    latency,
    cut,
    times,
    probability,
    // Listed, so that a failed test can be repeated.
    seed: probability === undefined ? undefined : (seed ?? Math.floor(Math.random() * maxSeed)),
  };
  return Object.fromEntries(Object.entries(all).filter(([, one]) => one !== undefined)) as unknown as Fault;
}

export class Faults {
  readonly #store: Store;
  readonly #patterns = new WeakMap<FaultRow, Pattern>();

  constructor(store: Store) {
    this.#store = store;
  }

  get #table() {
    return this.#store.table<FaultRow>('sandbox_faults');
  }

  /** Add one fault or a list of faults, all or none. @throws ControlError */
  add(value: unknown): Fault[] {
    const added = (Array.isArray(value) ? value : [value]).map(checked);
    if (this.#table.size + added.length > maxFaults)
      throw new ControlError(`the sandbox accepts at most ${maxFaults} faults`);
    for (const fault of added) this.#table.insert({ fault, draws: 0 });
    return added;
  }

  /** In the order in which they apply. */
  list(): Fault[] {
    return this.#table.all().map(({ fault }) => fault);
  }

  clear(): void {
    for (const row of this.#table.all()) this.#table.remove(row);
  }

  /** Return the first fault that applies to a request, and count the request. */
  take(method: string, pathname: string): Fault | undefined {
    if (this.#table.size === 0) return undefined;
    const path = segmentsOf(pathname);
    for (const row of this.#table.all()) {
      if (this.#matches(row, method, path) && this.#draw(row)) return row.fault;
    }
    return undefined;
  }

  #matches(row: FaultRow, method: string, path: readonly string[]): boolean {
    const pattern = this.#patterns.get(row) ?? patternOf(row.fault.match);
    this.#patterns.set(row, pattern);
    return (pattern.method === '*' || pattern.method === method) && matchesPath(pattern.segments, path);
  }

  /** Whether a fault applies to its next matching request. */
  #draw(row: FaultRow): boolean {
    const { fault, draws } = row;
    const { probability, seed = 0, times } = fault;
    if (probability !== undefined) {
      this.#table.update(row, { draws: draws + 1 });
      if (drawAt(seed, draws) >= probability) return false;
    }
    if (times === 1) this.#table.remove(row);
    else if (times !== undefined) {
      const left = { ...fault, times: times - 1 };
      this.#table.update(row, { fault: left });
    }
    return true;
  }
}
