/** `variables why` and `variables unreferenced`. */
import { listProtections } from '../../api/branches.ts';
import { readNamespace, searchFiles } from '../../api/namespaces.ts';
import { listVariables } from '../../api/variables.ts';
import { usage } from '../../errors.ts';
import { counted } from '../../spec/names.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import { rowsResult, sayNote } from '../../spec/result.ts';
import { shortList } from '../../support/text/list.ts';
import { matchesWildcard } from '../../support/text/wildcard.ts';
import { mapWithProgress, projectOf, type TaskContext, type TaskWith } from '../context.ts';
import { allRows, ifAvailable } from '../engine/codecs.ts';
import { readLevels, readVariables, variablesFor } from './transfer.ts';

/** The variables of a project or a group with one key. */
interface Level {
  readonly source: string;
  readonly rows: readonly Row[];
}

interface Job {
  readonly environment?: string | undefined;
  readonly isProtected: boolean;
}

/** Decide which variable a job gets. @param levels in order of precedence: the project first */
export function choose(levels: readonly Level[], { environment, isProtected }: Job) {
  let winner: string | undefined;
  return levels.flatMap(({ source, rows }) => {
    const open = rows.filter((row) => isProtected || row['protected'] !== true);
    const [best] = variablesFor(open, environment);
    const isFirst = winner === undefined;
    const isScoped = (row: Row) => variablesFor([row], environment).length > 0;
    const reasonOf = (row: Row): string => {
      if (!isScoped(row))
        return environment === undefined ? 'only in its environments' : 'not for this environment';
      if (!isProtected && row['protected'] === true) return 'protected, and the ref is not';
      if (!isFirst) return `${winner} takes precedence`;
      if (row !== best) return `${best?.['environment_scope'] ?? '*'} is more specific`;
      return 'used';
    };
    const explained = rows.map((row) => {
      const { key, environment_scope = '*', masked = false, hidden } = row;
      return {
        used: isFirst && row === best,
        ...{ source, key, environment_scope, protected: row['protected'] === true, masked },
        value: masked === true || hidden === true ? null : (row['value'] ?? null),
        reason: reasonOf(row),
      };
    });
    if (best && isFirst) winner = source;
    return explained;
  });
}

/** The values of masked variables, which another text can repeat. */
const maskedIn = (rows: readonly Row[]): string[] =>
  rows.flatMap(({ value, masked }) => (masked === true && typeof value === 'string' ? [value] : []));

export const explainVariable: TaskWith<{ environment: string; ref: string }> = async (task, options) => {
  const { environment } = options;
  const target = projectOf(task);
  const [key = ''] = task.line.words;
  if (!/^\w+$/.test(key)) throw usage('a key has letters A-Z and a-z, digits and _ only');
  if (environment === '') throw usage('--environment cannot be empty');
  const slots = { id: target.id };
  const get = readNamespace('project', target.id);
  const protectionList = { endpoint: listProtections, slots, values: {} };
  if (task.dryRun) {
    const variables = { endpoint: listVariables, slots, values: {} };
    const planned = await task.requests([get, variables, protectionList, searchCall(target.id, key)]);
    return { ...planned, notes: [sayNote('the variables of each group above the project are read too')] };
  }
  const [protections, mentions, { project, path, groups, rows: all, unread }] = await Promise.all([
    ifAvailable(allRows(task.rows(protectionList))),
    ifAvailable(mentionsOf(task, target.id, key, 'all')),
    readLevels(task, target),
  ]);
  const ref = options.ref ?? String(project['default_branch'] ?? 'the default branch');
  task.conceal(maskedIn(all.flatMap((rows) => rows ?? [])));
  const levels = all.map((rows, at) => ({
    source: [path, ...groups][at] ?? path,
    rows: (rows ?? []).filter((row) => row['key'] === key),
  }));
  const isProtected = (protections ?? []).some(({ name }) => matchesWildcard(String(name), ref));
  const rows = choose(levels, { environment, isProtected });
  const groupsRead = counted(groups.length - unread.length, 'group');
  // An agent could guess a secret by arguments that are repeated, since it is masked in them.
  const notes = [
    rows.length > 0 && !rows.some(({ used }) => used) ? 'no job of this ref and environment gets it' : '',
    mentions === undefined
      ? 'files were not searched: the search is not available'
      : mentions.length > 0
        ? `mentioned in ${shortList(mentions)}`
        : 'no file of the default branch mentions it',
    unread.length > 0 ? `variables of ${shortList(unread)} cannot be read` : '',
    protections ? '' : 'protected branches cannot be read; the ref was taken as not protected',
    `variables of the project and ${groupsRead} read; instance variables are not visible`,
  ];
  const said = notes.filter((note) => note !== '').map(sayNote);
  const sources = [path, ...groups];
  const winner = rows.find(({ used }) => used)?.source;
  // A group above the one that a job takes the variable from decides nothing.
  const deciding = winner === undefined ? sources : sources.slice(0, sources.indexOf(winner));
  const isUncertain =
    unread.some((one) => deciding.includes(one)) || (!protections && rows.some((row) => row.protected));
  return rowsResult(rows, task.command.prints, { notes: said, ...(isUncertain && { ending: 'partial' }) });
};

const searchCall = (id: string, key: string): Call => {
  return { endpoint: searchFiles, slots: { id }, values: { scope: 'blobs', search: key } };
};

/** The places that mention a key as a whole word: `.ci.yml:3`. @param wanted `one`: stop after the first */
async function mentionsOf(task: TaskContext, project: string, key: string, wanted: 'one' | 'all') {
  const word = new RegExp(`\\b${key}\\b`);
  const found: string[] = [];
  for await (const { path, startline, data } of task.rows(searchCall(project, key))) {
    const lines = String(data).split('\n');
    const line = lines.findIndex((one) => word.test(one));
    if (line >= 0) found.push(`${path}:${Number(startline ?? 1) + line}`);
    if (wanted === 'one' && found.length > 0) break;
  }
  return found;
}

/** List the variables of a project without a mention in the files of its default branch. */
export const listUnreferenced: TaskWith<{ parallel: number }> = async (task, { parallel = 4 }) => {
  const target = projectOf(task);
  if (task.dryRun) return task.requests([{ endpoint: listVariables, slots: { id: target.id }, values: {} }]);
  const variables = await readVariables(task, target);
  // A description can repeat a value, which is not part of these rows.
  task.conceal(variables.flatMap(({ value }) => (typeof value === 'string' ? [value] : [])));
  const keys = [...new Set(variables.map(({ key }) => String(key)))];
  const unmentioned = new Set<unknown>();
  const search = async (name: string) => {
    if ((await mentionsOf(task, target.id, name, 'one')).length === 0) unmentioned.add(name);
  };
  await mapWithProgress(task, 'searching', keys, search, parallel);
  const rows = variables.filter(({ key }) => unmentioned.has(key)).map(({ value: _, ...row }) => row);
  const limits = 'files included from other projects and tools that read the environment were not searched';
  const result = `no reference found for ${unmentioned.size} of ${counted(keys.length, 'key')}`;
  const note = sayNote(`${result} in the files of the default branch; ${limits}`);
  return rowsResult(rows, task.command.prints, { notes: [note] });
};
