/** The last line of `svc each`, and its exit code. */
import type { TargetResult } from '../context.ts';

const labels: Readonly<Record<string, string>> = {
  auth: 'unauthorized',
  not_found: 'not found',
  rate_limited: 'rate limited',
  server_error: 'failed with a server error',
  network: 'failed with a network error',
  differs: 'different',
  internal: 'failed',
  usage: 'invalid',
};

/** Describe the end of one target in a word or two: `done`, `forbidden`. */
export function labelOf({ exit, failure, kind }: TargetResult): string {
  if (exit === 0) return 'done';
  if (failure?.exchange?.status === 403) return 'forbidden';
  const name = kind ?? failure?.kind;
  return name === undefined ? `with exit code ${exit}` : (labels[name] ?? name);
}

export class Tally {
  readonly #counts: Map<string, number>;
  readonly #codes = new Set<number>();
  readonly #total: number;
  readonly #earlier: number;
  #started: number;
  #ended: number;

  /** @param earlier the targets that earlier runs completed */
  constructor(total: number, earlier = 0) {
    this.#total = total;
    this.#earlier = this.#started = this.#ended = earlier;
    this.#counts = new Map([['done', earlier]]);
    if (earlier > 0) this.#codes.add(0);
  }

  start(): void {
    this.#started += 1;
  }

  add(result: TargetResult): void {
    this.#codes.add(result.exit);
    const label = labelOf(result);
    this.#ended += 1;
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + 1);
  }

  /** Whether each target is done. */
  get complete(): boolean {
    return this.#ended === this.#total && this.exit === 0;
  }

  /** 0 if no target failed, the code that all targets have in common, or 11. */
  get exit(): number {
    const [first = 0, ...others] = this.#codes;
    return others.length === 0 ? first : 11;
  }

  /** `1482 done, 3 rejected, 1 forbidden.` */
  text(): string {
    const earlier = this.#earlier > 0 ? ` (${this.#earlier} earlier)` : '';
    const [done, ...others] = [...this.#counts] as [[string, number], ...[string, number][]];
    // The targets end in any order.
    others.sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
    const parts = [done, ...others].map(
      ([label, count]) => `${count} ${label}${label === 'done' ? earlier : ''}`,
    );
    const interrupted = this.#started - this.#ended;
    const left = this.#total - this.#started;
    return `${[
      ...parts,
      ...(interrupted > 0 ? [`${interrupted} interrupted`] : []),
      ...(left > 0 ? [`${left} not started`] : []),
    ].join(', ')}.`;
  }
}
