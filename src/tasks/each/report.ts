/** Runs `svc each report`: one summary of several journals. */
import { counted } from '../../spec/names.ts';
import { objectResult, rowsResult } from '../../spec/result.ts';
import { groupBy } from '../../support/record.ts';
import { shortList } from '../../support/text/list.ts';
import { printable } from '../../support/text/printable.ts';
import type { TaskWith } from '../context.ts';
import { earlierOf, keyOf, type Line, readLines } from './journal.ts';

/** The exit code of targets whose outcome is not known. */
const partial = 11;

/** Join journals. It ends with 0 if all targets are done, the code that all failures share, or 11. */
export const reportJournals: TaskWith<{ expect: number }> = async (task, { expect }) => {
  const journals = await Promise.all(
    task.line.words.map(async (path) => ({ path, ...(await readLines(task.path(path))) })),
  );
  // A copy has the salt of its journal. A full disk leaves an empty file, without a run.
  const byRun = groupBy(journals, ({ runs: [first] }) => first?.command ?? '');
  const ends = new Map<string, Line>();
  let unstarted = 0;
  for (const copies of byRun.values()) {
    const owns = copies.map(({ lines }) => new Map(lines.map((line) => [keyOf(line), line])));
    const entries = owns.flatMap((own) => [...own]);
    // A job that was retried has another journal of the same targets.
    for (const [key, line] of entries) if (line.at >= (ends.get(key)?.at ?? '')) ends.set(key, line);
    const { size } = new Map(entries);
    unstarted += Math.max(0, ...copies.map(({ runs }) => (runs.at(-1)?.total ?? 0) - size));
  }
  const states = groupBy(ends.values(), earlierOf);
  const failures = [...(states.get('failed') ?? []), ...(states.get('unknown') ?? [])].map(failureOf);
  const counts = {
    targets: ends.size + unstarted,
    done: states.get('done')?.length ?? 0,
    failed: states.get('failed')?.length ?? 0,
    unknown: states.get('unknown')?.length ?? 0,
    not_started: unstarted,
  };
  const empty = byRun.get('')?.length ?? 0;
  byRun.delete('');
  const expected = expect ?? byRun.size + empty;
  const missing = Math.max(0, expected - byRun.size);
  const isOpen = unstarted + missing > 0;
  const codes = new Set([
    ...(counts.done > 0 ? [0] : []),
    ...failures.map(({ exit }) => exit),
    ...(isOpen ? [partial] : []),
  ]);
  const [code = 0, another] = codes;
  const lost = `${counted(missing, 'journal')} of ${expected} missing or empty`;
  const commands = new Set(
    journals.flatMap(({ runs }) =>
      runs.flatMap(({ name, server }) => (name === undefined ? [] : `${name} (${server})`)),
    ),
  );
  const mixed = `the journals are of different commands: ${[...commands].sort().join(', ')}`;
  const repeated = [...byRun.values()].filter((copies) => copies.length > 1);
  const warnings = [
    ...(missing > 0 ? [lost] : []),
    ...repeated.map(
      (copies) =>
        `${counted(copies.length, 'journal')} of the same run count once: ${shortList(copies.map(({ path }) => path))}`,
    ),
    ...(commands.size > 1 ? [mixed] : []),
  ];
  const notes = warnings.map((text) => ({ how: 'warn' as const, text }));
  const frame = { notes, ending: another === undefined ? code : partial };
  if (task.format === 'csv' || task.format === 'tsv') {
    const rows = failures.map(({ error, ...one }) => ({ ...one, kind: error.kind, error: error.message }));
    return rowsResult(rows, undefined, frame);
  }
  const { targets, ...others } = counts;
  const sum = Object.entries(others).map(([state, count]) => `${count} ${state.replace('_', ' ')}`);
  // Equal errors once: `  404 Project Not Found: acme/a, acme/b (2)`
  const groups = groupBy(failures, ({ target, error }) => error.message.replaceAll(target, '{target}'));
  const lines = [...groups].map(([common, group]) => {
    const message = group.length > 1 ? common : group[0]?.error.message;
    const names = shortList(group.map(({ target }) => target));
    return printable(`  ${message}: ${names}${group.length > 1 ? ` (${group.length})` : ''}`);
  });
  return objectResult({ ...counts, failures }, undefined, {
    ...frame,
    picture: () => [`${counted(targets, 'target')}: ${sum.join(', ')}`, ...lines],
  });
};

function failureOf(line: Line) {
  const { target, exit = partial } = line;
  const { kind = 'failed', message } = line.error ?? {};
  if (earlierOf(line) === 'failed')
    return { target, exit, error: { kind, message: message ?? `exit code ${exit}` } };
  const error = { kind: 'unknown', message: message ?? 'started, without a known end' };
  return { target, exit: partial, error };
}
