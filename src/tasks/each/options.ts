/** The options of `svc each`. */
import { usage } from '../../errors.ts';
import type { TargetOptions } from './targets.ts';

export interface EachOptions extends TargetOptions {
  readonly concurrency?: number | undefined;
  readonly shard?: string | undefined;
  readonly journal?: string | undefined;
  readonly resume?: string | undefined;
  readonly retryUnknown?: true | undefined;
  readonly failFast?: true | undefined;
}

/** Whether the journal keeps the targets: they come from standard input, or from an earlier journal. */
export function keepsTargets({ projects, groups, inGroup, rows }: TargetOptions): boolean {
  return projects === '-' || groups === '-' || (projects ?? groups ?? inGroup ?? rows) === undefined;
}

/** @throws Failure `usage` for options that contradict each other */
export function checkOptions(options: EachOptions): void {
  const { journal, resume, retryUnknown } = options;
  if (journal !== undefined && resume !== undefined)
    throw usage(
      '--journal and --resume cannot be used together',
      '--resume appends to the journal that it names',
    );
  if (journal === '') throw usage('--journal requires a path');
  if (resume === '') throw usage('--resume requires a path');
  if (retryUnknown && resume === undefined) throw usage('--retry-unknown requires --resume');
}
