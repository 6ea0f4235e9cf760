/** The names and aliases of commands have one meaning at every entry point: command lines, help, schema, completion, each. */
import { describe, expect, test } from 'vitest';
import type { Ran } from '../support/svc.ts';
import { svc } from '../support/svc.ts';

const env = { SVC_BASE_URL: 'http://host.example', SVC_TOKEN: 'token' };
const run = (line: string, stdin = ''): Promise<Ran> => svc(line, { env, stdin });

const aliases: readonly (readonly [kind: string, alias: string, name: string])[] = [
  ['a command of an endpoint', 'variables ls', 'variables list'],
  ['a command of an endpoint', 'variables show', 'variables get'],
  ['a command of an endpoint', 'variables rm', 'variables delete'],
  ['an area', 'vars list', 'variables list'],
  ['an area and a command', 'vars ls', 'variables list'],
  ['the area of an endpoint that a task runs', 'vars set', 'variables set'],
  ['the area of a task', 'webhooks trigger', 'hooks trigger'],
  ['the area of a task that svc each rejects', 'webhooks listen', 'hooks listen'],
  ['a command of the program', 'profiles ls', 'profiles list'],
  ['a command of the program', 'profiles rm', 'profiles remove'],
];

/** The parts of the program that read the name of a command. */
const entryPoints: Readonly<Record<string, (words: string) => string>> = {
  help: (words) => `help ${words}`,
  '--help': (words) => `${words} --help`,
  '--help before the command': (words) => `--help ${words}`,
  'the arguments of a command': (words) => `${words} a b c d e`,
  'svc schema': (words) => `schema ${words}`,
  completion: (words) => `__complete -- ${words} -`,
  'the completion of svc each': (words) => `__complete -- each -- ${words} -`,
  'svc each': (words) => `each --projects - -- ${words} a b c d e`,
};

describe.each(Object.entries(entryPoints))('%s', (_, line) => {
  test.each(aliases)('accepts an alias of %s: %s', async (_kind, alias, name) => {
    const [named, aliased] = [await run(line(name), 'a/b\n'), await run(line(alias), 'a/b\n')];
    expect([aliased.code, aliased.out, aliased.err]).toEqual([named.code, named.out, named.err]);
    expect(named.out + named.err).not.toBe('');
    expect(named.err).not.toContain('unknown');
  });

  // Each entry point distinguishes these, so equal output shows that the names were resolved.
  test('distinguishes commands', async () => {
    const list = await run(line('variables list'), 'a/b\n');
    const get = await run(line('variables get'), 'a/b\n');
    expect(list.out + list.err).not.toBe(get.out + get.err);
  });
});

const errors: readonly (readonly [words: string, error: string, hint: string])[] = [
  ['jbos list', 'unknown command "jbos"', 'Did you mean jobs?'],
  ['jobs lst', 'unknown command "lst"', 'Did you mean list?'],
  ['variables view', 'unknown command "view"', 'Did you mean get?'],
  ['auth switch', 'unknown command "switch"', 'Did you mean svc profiles use?'],
];

describe.each([
  ['a command line', (words: string) => words],
  ['--help', (words: string) => `${words} --help`],
  ['svc help', (words: string) => `help ${words}`],
  ['svc schema', (words: string) => `schema ${words}`],
  ['svc each', (words: string) => `each --projects - -- ${words}`],
] as const)('%s', (_, line) => {
  test.each(errors)('rejects svc %s with a suggestion', async (words, error, hint) => {
    const { code, out, err } = await run(line(words), 'a/b\n');
    expect([code, out]).toEqual([2, '']);
    expect(err.split('\n').slice(0, 2)).toEqual([`error: ${error}`, `hint: ${hint}`]);
  });

  test('finds no hidden command', async () => {
    expect((await run(line('profiles __complete'), 'a/b\n')).code).toBe(2);
  });
});

test('an area without a command is described, but not run', async () => {
  expect((await run('jobs')).out).toBe((await run('help jobs')).out);
  const { commands } = JSON.parse((await run('schema jobs')).out) as { commands: { area: string }[] };
  expect(new Set(commands.map(({ area }) => area))).toEqual(new Set(['jobs']));
  expect((await run('each --projects - -- jobs', 'a/b\n')).err).toBe(
    'error: svc jobs: the command is missing\nhint: see svc jobs --help\n',
  );
});

test('the second word of a command of one word is an argument', async () => {
  const { err } = await run('doctor list');
  expect(err).toMatch(/takes \w+ arguments?, but got/);
  expect((await run('help api GET')).out).toBe((await run('help api')).out);
  expect((await run('schema api GET')).err).toMatch(/^error: svc api has no subcommands\n/);
});

test.each(['jobs', 'vars', 'auth', 'doctor'])('rejects an unknown flag after svc %s', async (group) => {
  const { code, out, err } = await run(`${group} --bogus`);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('unknown flag --bogus');
});
