/** Faults: rules that delay, replace or interrupt responses. They are rows of the state, so they survive a restart. */

import { usage } from '../../errors.ts';
import { methods } from '../../spec/endpoint.ts';
import { choice, int, number, text } from '../../spec/field.ts';
import { matchesPath } from '../../support/text/wildcard.ts';
import { percentDecoded } from '../../support/url.ts';
import { root } from '../core/router.ts';
import type { Row } from '../core/rows.ts';
import { drawAt } from '../seed/random.ts';
import type { Store } from '../store/store.ts';
import { membersOf } from './input.ts';
import type { Fault } from './types.ts';

interface FaultRow extends Row {
  fault: Fault;
  /** Matching requests so far. */
  draws: number;
}

const maxSeed = 2 ** 32 - 1;
const faultFields = {
  match: text('Method and path'),
  status: int('Status of the response', { min: 400, max: 599 }),
  retry_after: int('Seconds', { min: 0, max: 86_400 }),
  latency: int('Milliseconds', { min: 0, max: 600_000 }),
  cut: choice(['headers', 'body'], 'Where the connection is closed'),
  times: int('Number of requests', { min: 1 }),
  probability: number('Share of the requests', { min: 0, max: 1 }),
  seed: int('Makes the choice repeatable', { min: 0, max: maxSeed }),
};

/** Return a path below /api/v4, or another path, in the form in which paths are compared. */
function plainPath(path: string): string {
  const below = path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : path;
  const segments = below
    .toWellFormed()
    .split('/')
    .filter((segment) => segment !== '');
  return `/${segments.map((segment) => encodeURIComponent(percentDecoded(segment))).join('/')}`;
}

/** @throws Failure `usage` for an invalid pattern */
function patternOf(match: string) {
  const [path = '', given = '*', ...others] = match.trim().split(/\s+/).reverse();
  const method = given.toUpperCase();
  const isMethod = method === '*' || methods.some((one) => one === method);
  if (others.length > 0 || !isMethod || !path.startsWith('/') || /[?#]/.test(path))
    throw usage('match must be a method or *, and a path, such as "POST /projects/*/variables"');
  return { method, path: plainPath(path) };
}

/** Check a fault, and return it with only the members that are set. @throws Failure `usage` */
function checked(value: unknown): Fault {
  const given = membersOf(value, 'a fault', faultFields) as Partial<Fault>;
  const { match = '', status, retry_after, latency, cut, probability, seed } = given;
  patternOf(match);
  if (probability === 0) throw usage('probability must be greater than 0');
  if (status === undefined && latency === undefined && cut === undefined)
    throw usage('a fault requires status, latency or cut');
  if (retry_after !== undefined && status === undefined) throw usage('retry_after requires status');
  if (seed !== undefined && probability === undefined) throw usage('seed requires probability');
  const fault: Fault = { ...given, match: match.trim() };
  // Listed, so that a failed test can be repeated.
  return probability === undefined ? fault : { ...fault, seed: seed ?? Math.floor(Math.random() * maxSeed) };
}

export class Faults {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  get #table() {
    return this.#store.table<FaultRow>('sandbox_faults');
  }

  /** Add one fault or a list of faults, all or none. @throws Failure `usage` */
  add(value: unknown): Fault[] {
    const added = (Array.isArray(value) ? value : [value]).map(checked);
    for (const fault of added) this.#table.insert({ fault, draws: 0 });
    return added;
  }

  list(): Fault[] {
    return this.#table.all().map(({ fault }) => fault);
  }

  clear(): void {
    for (const row of this.#table.all()) this.#table.remove(row);
  }

  /** Return the first fault that applies to a request, and count the request. */
  take(method: string, pathname: string): Fault | undefined {
    const path = plainPath(pathname);
    const matching = this.#table.all().filter(({ fault }) => {
      const pattern = patternOf(fault.match);
      return ['*', method].includes(pattern.method) && matchesPath(pattern.path, path);
    });
    return matching.find((row) => this.#draw(row))?.fault;
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
