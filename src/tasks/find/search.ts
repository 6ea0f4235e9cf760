/** Runs `svc find`. */
import { areas } from '../../api/index.ts';
import { searchFiles } from '../../api/namespaces.ts';
import { resources } from '../../api/resources.ts';
import { Failure, isFromSignal, usage } from '../../errors.ts';
import { pathOfColumn } from '../../spec/column.ts';
import { commandName } from '../../spec/command.ts';
import { computedRows } from '../../spec/compose.ts';
import { type Endpoint, returnedFields } from '../../spec/endpoint.ts';
import { isSecret, text } from '../../spec/field.ts';
import { guarded, masked, rowSecrets, withoutSecrets } from '../../spec/mask.ts';
import { counted } from '../../spec/names.ts';
import type { Row } from '../../spec/resource.ts';
import { type Result, rowsResult, sayNote } from '../../spec/result.ts';
import { mask, quotedWord } from '../../support/mask.ts';
import { isRecord } from '../../support/record.ts';
import { alternatives } from '../../support/suggest.ts';
import { shortList } from '../../support/text/list.ts';
import { type Maybe, mapWithProgress, type TaskContext } from '../context.ts';
import { type Projects, readProjects } from '../each/targets.ts';
import { isUnavailable } from '../engine/codecs.ts';

type Test = (text: string) => boolean;

export type FindOptions = Maybe<Projects & { in: string }>;

type Kind = Awaited<ReturnType<typeof kindsOf>>[number];

/** The lists that groups have too, with the commands that print those of a group. */
const ofGroups: Readonly<Record<string, readonly string[]>> = {
  variables: ['api', 'groups/{group}/variables'],
  hooks: ['hooks', 'list'],
  badges: ['badges', 'list'],
  'approval-rules': ['approval-rules', 'list'],
};
const usual = ['variables', 'hooks', 'badges', 'snippets', 'approval-rules'];

/** @throws Failure `usage` for an empty pattern and an invalid regular expression */
async function testOf(pattern: string): Promise<{ test: Test; isExpression: boolean }> {
  const expression = /^\/(.+)\/$/s.exec(pattern)?.[1];
  if (pattern === '') throw usage('the pattern is empty');
  if (expression === undefined) return { test: (value) => value.includes(pattern), isExpression: false };
  const { RE2JS, RE2JSException } = await import('re2js');
  try {
    const compiled = RE2JS.compile(expression);
    return { test: (value) => compiled.matcher(value).find(), isExpression: true };
  } catch (error) {
    if (error instanceof RE2JSException)
      throw usage(`invalid regular expression ${pattern}: ${error.message}`);
    throw error;
  }
}

/** The lists of projects with these names. @throws Failure `usage` */
async function kindsOf(names: readonly string[], pattern: string) {
  const known = await Promise.all(areas.map(async ({ name, load }) => [name, await load()] as const));
  const lists = known.flatMap(([name, { default: area }]) => {
    const list = area.endpoints.find(
      (one) =>
        commandName(one) === 'list' &&
        one.scope?.name === 'project' &&
        one.returns.kind === 'list' &&
        Object.keys(one.slots).length === 0,
    );
    return list ? [[name, list] as const] : [];
  });
  const byName = new Map<string, Endpoint>([...lists, ['files', searchFiles]]);
  return Promise.all(
    names.map(async (typed) => {
      const kind = typed.replaceAll('_', '-');
      const endpoint = byName.get(kind);
      const hints = () => alternatives(kind, [...byName.keys()], 'lists');
      if (!endpoint) throw usage(`--in: no list ${quotedWord(typed)}`, hints());
      if (kind === 'files') {
        const values = { scope: 'blobs', search: pattern };
        // These fields are no content of a file.
        const ignored = ['path', 'filename', 'basename', 'ref'];
        return { kind, endpoint, values, identity: ['path'], ignored };
      }
      const [first = 'id'] = endpoint.columns.map(pathOfColumn);
      const resource = await resources[kind.replaceAll('-', '_')]?.();
      const fields = returnedFields(endpoint);
      const identity = [...new Set([first, ...(resource?.identity[0] ?? [])])].filter(
        (name) => !isSecret(fields[name]),
      );
      return { kind, endpoint, values: {}, identity, ignored: [] as string[] };
    }),
  );
}

/** The names of the fields that contain the pattern. Nested fields count for the field around them. */
export function matchingFields(row: Row, test: Test): string[] {
  const contains = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.some(contains);
    if (isRecord(value)) return Object.values(value).some(contains);
    return value !== null && value !== undefined && test(String(value));
  };
  return Object.entries(row).flatMap(([name, value]) => (contains(value) ? [name] : []));
}

/** Mask what `find` must not print. */
function withoutSecretValues(row: Row, endpoint: Endpoint): Row {
  const fields = returnedFields(endpoint);
  const open = Object.entries(row).map(([name, value]) => [name, guarded(fields[name], value)]);
  return masked(Object.fromEntries(open), fields) as Row;
}

/** Mask what a tool must not search, because an agent could guess a secret by its parts: also other texts that contain one. */
export function withoutSecretTexts(row: Row, endpoint: Endpoint): Row {
  const secrets = rowSecrets(row, returnedFields(endpoint)).filter((text) => text !== '');
  const show = (text: string) => (secrets.some((secret) => text.includes(secret)) ? mask : text);
  return withoutSecrets(withoutSecretValues(row, endpoint), undefined, { hide: () => mask, show }) as Row;
}

function foundRow(
  project: string,
  { kind, endpoint, identity }: Kind,
  row: Row,
  matching: readonly string[],
) {
  const shown = withoutSecretValues(row, endpoint);
  const names = ['name', 'title', ...identity].filter((one) => (row[one] ?? '') !== '');
  // A command that is run for the rows must not write a masked value.
  const whole = (one: string) => (shown[one] === row[one] ? (row[one] ?? null) : null);
  const identified = identity.filter((one) => one !== 'name').map((one) => [one, whole(one)]);
  const name = names[0] === undefined ? null : String(shown[names[0]] ?? null);
  return { project, kind, name, field: matching.join(' '), ...Object.fromEntries(identified) };
}

/** List the rows that contain a pattern. Lists that cannot be read are named in a warning. The result ends as `partial` if those are all lists of a project, or if one failed for another reason than a missing permission. */
export async function findRows(
  task: TaskContext,
  options: FindOptions,
  searched: (row: Row, endpoint: Endpoint) => Row = (row) => row,
): Promise<Result> {
  const [pattern = ''] = task.line.words;
  const { test, isExpression } = await testOf(pattern);
  const all = isExpression ? usual : [...usual, 'files'];
  const chosen = options.in?.split(',').map((name) => name.trim()) ?? all;
  if (isExpression && chosen.includes('files'))
    throw usage(
      'files cannot be searched by a regular expression',
      'leave files out of --in, or search for a text',
    );
  if ((options.projects ?? options.inGroup) === undefined)
    throw usage('no projects to search', 'use --projects <file> or --in-group <group>');
  const kinds = await kindsOf([...new Set(chosen)], pattern);
  const targets = await readProjects(task, options);
  const unread: string[] = [];
  let read = 0;
  let reached = 0;
  let last: unknown;
  let isIncomplete = false;
  const rows = await mapWithProgress(task, 'searching', targets, async (project) => {
    const matches: Row[] = [];
    let lists = 0;
    for (const one of kinds)
      try {
        const { endpoint, values, ignored } = one;
        for await (const row of task.rows({ endpoint, slots: { id: project }, values })) {
          read += 1;
          const fields = matchingFields(searched(row, endpoint), test).filter(
            (name) => !ignored.includes(name),
          );
          if (fields.length > 0) matches.push(foundRow(project, one, row, fields));
        }
        lists += 1;
      } catch (error) {
        if (!(error instanceof Failure) || isFromSignal(error)) throw error;
        last = error;
        const hasFailed: boolean = !isUnavailable(error);
        unread.push(`${one.kind} of ${project}${hasFailed ? ` (${error.message})` : ''}`);
        isIncomplete ||= hasFailed;
      }
    if (lists > 0) reached += 1;
    return matches;
  });
  if (last !== undefined && unread.length === targets.length * kinds.length) throw last;
  const missing = `not searched: ${shortList(unread.sort())}`;
  const isPartial = isIncomplete || reached < targets.length;
  if (unread.length > 0 && !isPartial) task.warn(missing);
  const lists = counted(targets.length * kinds.length - unread.length, 'list');
  const note = sayNote(`${counted(read, 'row')} of ${lists} in ${counted(reached, 'project')} read`);
  const { inGroup = '' } = options;
  const own = inGroup === '' ? [] : kinds.map(({ kind }) => kind).filter((kind) => kind in ofGroups);
  const commands = own.map((kind) =>
    task.resumeCommand([...(ofGroups[kind] ?? []), '--group', inGroup, '--all']),
  );
  const others = `${shortList(own)} of groups are not searched; to list those of ${inGroup}: ${shortList(commands)}`;
  // The columns of every kind that was searched.
  const identity = kinds.flatMap((one) => one.identity).filter((name) => name !== 'name');
  const shown = [...new Set(['project', 'kind', 'name', 'field', ...identity])];
  const fields = Object.fromEntries(shown.map((name) => [name, text(name, { nullable: true })]));
  return rowsResult(rows.flat(), computedRows('matching row', fields), {
    notes: own.length > 0 ? [note, { ...sayNote(others), audience: 'person' }] : [note],
    ...(isPartial ? { failure: new Failure('partial', missing) } : {}),
  });
}
