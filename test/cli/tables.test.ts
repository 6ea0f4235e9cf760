import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { columnsOf } from '../../src/spec/column.ts';
import { commandName } from '../../src/spec/command.ts';
import { ask, refused } from '../interface/service.ts';
import { seededCalls } from '../sandbox/seeded-calls.ts';
import { returned } from '../support/catalogue.ts';
import { openWorld } from '../support/sandbox.ts';

const title = 'A title that is much longer than any column of a table on a narrow terminal can be';
const epics = { body: JSON.stringify([{ iid: 1, title, state: 'opened', labels: ['x'] }]) };
const list = 'epics list --group acme';

test('a narrow job list shows id, status and name, and names the hidden columns on a terminal only', async () => {
  const name = 'a-job-with-a-name-that-is-longer-than-a-line';
  const body = JSON.stringify([{ id: 5268, status: 'failed', name, stage: 'test', pipeline: { id: 1012 } }]);
  const { out, err } = await ask('jobs list -p 1 --color never', { body }, { terminal: 40 });
  const [header, row] = out.split('\n');
  expect([header, row]).toEqual(['ID    STATUS  NAME', '5268  failed  a-job-with-a-name-that-is…']);
  expect(err).toBe('5 columns hidden: STAGE, PIPELINE, REF, DURATION, FINISHED\n');
  expect((await ask('jobs list -p 1', { body })).err).toBe('');
});

describe('--wrap', () => {
  test.each(['title', 'TITLE'])('wraps the column %s without losing text', async (name) => {
    const { out, code } = await ask(`${list} --wrap ${name} --fields iid,title,state`, epics, {
      terminal: 60,
      env: { NO_COLOR: '1' },
    });
    expect(code).toBe(0);
    expect(out).not.toContain('…');
    const lines = out.trimEnd().split('\n');
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(60);
    const text = lines
      .slice(1)
      .join(' ')
      .replace(/^ *1|opened/g, '');
    expect(text.trim().replace(/ +/g, ' ')).toBe(title);
  });

  test('neither truncates nor wraps in a pipe', async () => {
    expect((await ask(`${list} --wrap title --fields title`, epics)).out).toBe(`TITLE\n${title}\n`);
  });

  test('rejects an unknown column before sending', async () => {
    await refused(`${list} --wrap titel`, [
      'the table has no column "titel"',
      /columns: iid, group_id, title/,
    ]);
    await refused(`${list} --wrap title --fields iid`, ['the table has no column "title"']);
  });

  test('exists only for lists', async () => {
    await refused('epics get 1 --group acme --wrap title', ['svc epics get does not accept --wrap']);
  });
});

test('shows that the value of a hidden variable is hidden', async () => {
  const { out } = await (await openWorld()).run('variables get HIDDEN_KEY --project acme/rocket');
  expect(out).toContain('Value:             (hidden)\n');
});

test('suggests the field of a header that a user typed, and rejects an empty name before a write', async () => {
  const list = 'variables list --project acme/rocket';
  const { err, code } = await ask(`${list} --fields key,Scope`, { body: '[{"key":"A"}]' });
  expect(code).toBe(2);
  expect(err).toContain('Did you mean environment_scope?');
  await refused('variables create KEY value --project acme/rocket --fields key,,value', ['empty name']);
});

test('prints each line of a blame on a terminal, and with its commit in a pipe', async () => {
  const world = await openWorld();
  const line = 'files blame src/main.ts --project acme/rocket --ref main --range start=1 --range end=4';
  const { out: raw } = await world.run(`${line} --json`);
  const hunks = JSON.parse(raw) as { commit: { id: string }; lines: string[] }[];
  const sources = hunks.flatMap(({ lines }) => lines);
  const { out: screen } = await world.run(line, { terminal: 100 });
  const [, ...shown] = stripVTControlCharacters(screen).trimEnd().split('\n');
  expect(shown).toHaveLength(sources.length);
  for (const [at, text] of sources.entries()) expect(shown[at]).toContain(text.slice(0, 20).trimEnd());
  const { out: piped } = await world.run(`${line} --fields commit.id,lines --no-header`);
  const expected = hunks.flatMap(({ commit, lines }) =>
    lines.map((text) => `${commit.id}  ${text}`.trimEnd()),
  );
  expect(piped.trimEnd().split(/ *\n/)).toEqual(expected);
});

describe('lists of the seeded world', () => {
  const lists = seededCalls('GET').filter(({ endpoint }) => endpoint.returns.kind === 'list');

  /** The command line of a seeded request. */
  const lineOf = ({ entry, endpoint, request }: (typeof lists)[number]): string => {
    const [path = '', query] = request.replace(/^GET /, '').split('?');
    const names = endpoint.path.split('/');
    const values = path.split('/').flatMap((value, at) => (names[at]?.startsWith(':') ? [value] : []));
    const scope = endpoint.scope ? ` --${endpoint.scope.name} ${values.shift()}` : '';
    const flags = query === undefined ? '' : ` --${query.replace('=', ' ')}`;
    return [entry.name, commandName(endpoint), ...values.map(decodeURIComponent)].join(' ') + scope + flags;
  };
  const cases = lists.map((call) => [lineOf(call), call.endpoint] as const);

  test.each(cases)('svc %s: no identifying column is cut at 80 columns', async (line, endpoint) => {
    const world = await openWorld();
    const fields = returned(endpoint);
    const columns = columnsOf(endpoint.columns, fields);
    const at = async (terminal?: number) => {
      const ran = await world.run(line, { env: { NO_COLOR: '1' }, terminal });
      expect(ran.code, ran.err).toBe(0);
      return ran.out.trimEnd().split('\n');
    };
    const rows: unknown = JSON.parse((await world.run(`${line} --json`)).out);
    if (!Array.isArray(rows)) return;
    expect(rows.length).toBeGreaterThan(0);
    const [piped = ''] = await at();
    expect(piped.split(/ {2,}/)).toEqual(columns.map(({ label }) => label));
    for (const width of [80, 120, 200]) {
      const [header = '', ...lines] = await at(width);
      for (const text of [header, ...lines]) expect(stringWidth(text), text).toBeLessThanOrEqual(width);
      // Headers are the same at every width, in the same order.
      const shown = header.split(/ {2,}/);
      expect(columns.map(({ label }) => label).filter((label) => shown.includes(label))).toEqual(shown);
      for (const { path, label, kind } of columns) {
        if (kind !== 'id' && kind !== 'name') continue;
        expect(shown).toContain(label);
        for (const row of rows) {
          const value = String(path.split('.').reduce((inner, key) => inner?.[key], row) ?? '');
          // Commit ids are abbreviated.
          const text = /^[0-9a-f]{40}$/.test(value) ? value.slice(0, 8) : value;
          expect(
            lines.some((one) => one.split(/ {2,}/).includes(text)),
            `${label} ${text}`,
          ).toBe(true);
        }
      }
    }
  });
});

test.each([
  [{ TERM_PROGRAM: 'vscode' }, '', 40, true],
  [{ TERM: 'xterm-kitty' }, '', 40, true],
  [{ TERM_PROGRAM: 'vscode' }, ' --color never', 40, false],
  [{ TERM_PROGRAM: 'vscode', TMUX: '/tmp/x' }, '', 40, false],
  [{ TERM: 'xterm' }, '', 40, false],
  [{ TERM_PROGRAM: 'vscode', CLICOLOR_FORCE: '1' }, '', undefined, false],
] as const)(
  'with %j and the flags "%s" on %s columns, there are links: %s',
  async (env, flags, terminal, are) => {
    const body = JSON.stringify([{ id: 1, name: 'x', web_url: 'https://host.example/1' }]);
    const { out } = await ask(`jobs list -p 1${flags}`, { body }, { env, terminal });
    expect(out.includes('\u001b]8;;')).toBe(are);
  },
);
