/** The last line of `svc each`, and its exit code. */
import { groupBy } from '../../support/record.ts';
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

function labelOf({ exit, failure, kind }: TargetResult): string {
  if (exit === 0) return 'done';
  if (failure?.exchange?.status === 403) return 'forbidden';
  const name = kind ?? failure?.kind;
  return name === undefined ? `with exit code ${exit}` : (labels[name] ?? name);
}

export class Tally {
  readonly #labels: string[] = [];
  readonly #codes: Set<number>;
  readonly #total: number;
  readonly #earlier: number;
  #started = 0;

  /** @param earlier the targets that earlier runs completed */
  constructor(total: number, earlier = 0) {
    this.#total = total - earlier;
    this.#earlier = earlier;
    this.#codes = new Set(earlier > 0 ? [0] : []);
  }

  start(): void {
    this.#started += 1;
  }

  add(result: TargetResult): void {
    this.#codes.add(result.exit);
    this.#labels.push(labelOf(result));
  }

  get complete(): boolean {
    return this.#labels.length === this.#total && this.exit === 0;
  }

  /** 0 if no target failed, the code that all targets have in common, or 11. */
  get exit(): number {
    const [first = 0, ...others] = this.#codes;
    return others.length === 0 ? first : 11;
  }

  /** `1482 done, 3 rejected, 1 forbidden.` */
  text(): string {
    const { done = [], ...failed } = Object.fromEntries(groupBy(this.#labels, (label) => label));
    // The targets end in any order.
    const others = Object.entries(failed).sort(([a, many], [b, more]) =>
      many.length === more.length ? (a < b ? -1 : 1) : more.length - many.length,
    );
    const earlier = this.#earlier > 0 ? ` (${this.#earlier} earlier)` : '';
    const interrupted = this.#started - this.#labels.length;
    const left = this.#total - this.#started;
    return `${[
      `${done.length + this.#earlier} done${earlier}`,
      ...others.map(([label, { length }]) => `${length} ${label}`),
      ...(interrupted > 0 ? [`${interrupted} interrupted`] : []),
      ...(left > 0 ? [`${left} not started`] : []),
    ].join(', ')}.`;
  }
}
