/** `svc help` and `--help` find the page that a user means. */
import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../src/cli/catalogue.ts';
import { svc } from '../support/svc.ts';

const firstLine = (text: string) => text.split('\n')[0];

describe('svc help', () => {
  test.each([
    ['help', 'Work with a project-hosting and CI/CD service from the command line.'],
    ['help exit-codes', 'Exit codes and JSON errors.'],
    ['help sandbox', 'The local service for trying and testing.'],
    ['help jobs', 'CI/CD jobs.'],
    ['help vars', 'CI/CD variables.'],
    ['help jobs list', 'List jobs of a project, newest first.'],
    ['help jobs ls', 'List jobs of a project, newest first.'],
    ['help vars show', 'Show one variable.'],
    ['help profiles set', 'Set a setting of a profile; an empty value removes it.'],
    ['help doctor', 'Diagnose settings, network and token.'],
    ['help help', 'Show help for a topic, an area or a command.'],
    ['sandbox --help', 'Start, stop and control the built-in service.'],
  ])('svc %s prints the page', async (line, title) => {
    const { code, out, err, requests } = await svc(line);
    expect([code, firstLine(out), err, requests]).toEqual([0, title, '', []]);
  });

  test.each([
    ['help exit-code', /^error: unknown command "exit-code"\nhint: Did you mean svc help exit-codes\?/],
    [
      'help delete-merged',
      /^error: unknown command "delete-merged"\nhint: Did you mean svc branches delete-merged\?/,
    ],
    ['help jobs list extra', /^error: help takes 2 arguments, but got 3/],
    ['help --ful', /^error: unknown flag --ful\nhint: /],
  ])('svc %s suggests what to type', async (line, message) => {
    const { code, out, err } = await svc(line);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });
});

test('svc help finds the page of every command', async () => {
  const { areas, builtins } = await loadCatalogue();
  const wrong: string[] = [];
  for (const { name, commands } of [...areas, ...builtins]) {
    for (const command of commands) {
      const words = command.name === name ? [name, '--help'] : ['help', name, command.name];
      const { out } = await svc(words);
      if (!out.replace(/\s+/g, ' ').startsWith(`${command.summary}. `)) wrong.push(words.join(' '));
    }
  }
  expect(wrong).toEqual([]);
});

test.each([
  ['branches create x --ref -h', 'ref', '-h'],
  ['branches create x --ref --help', 'ref', '--help'],
  ['variables create K x --description --web', 'description', '--web'],
  ['variables create K --help --description=-h --value', 'help', undefined],
])('a value is never read as a flag: svc %s', async (line, name, value) => {
  const { code, out, err } = await svc(`${line} -p a/b --dry-run`, {
    env: { SVC_BASE_URL: 'https://host.example', SVC_TOKEN: 'svcpat-Zq81LmPw' },
  });
  expect([code, err]).toEqual([0, '']);
  if (value === undefined) expect(out).toMatch(/^Create a variable/);
  else expect(JSON.stringify(JSON.parse(out))).toContain(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
});

describe('--help --all', () => {
  test.each(['jobs list --help --all', 'jobs list --all --help', 'help jobs list --all', 'jobs ls -h --all'])(
    'svc %s lists every flag, the request and the exit codes',
    async (line) => {
      const { out } = await svc(line);
      for (const text of ['--retries', '--per-page', 'GET /projects/:id/jobs', 'Exit codes:'])
        expect(out).toContain(text);
    },
  );

  test('svc jobs list --help lists none of them', async () => {
    const { out } = await svc('jobs list --help');
    for (const text of ['--retries', '--per-page', 'GET /projects', 'Exit codes:'])
      expect(out).not.toContain(text);
  });
});

test.each([
  ['jobs list', []],
  ['migrations get', ['9 unsuccessful', '11 partial']],
  ['hooks replay', ['9 unsuccessful', '11 partial']],
  ['jobs wait', ['9 unsuccessful']],
  ['diff', ['10 differs']],
  ['apply', ['9 unsuccessful', '10 differs', '11 partial']],
  ['variables import', ['9 unsuccessful', '11 partial']],
  ['each', ['9 unsuccessful', '10 differs', '11 partial']],
])('the exit codes of svc %s are those that it can have: %j', async (command, codes) => {
  const { out } = await svc(`${command} --help --all`);
  const listed = out.slice(out.indexOf('Exit codes:')).replace(/\s+/g, ' ');
  for (const code of ['9 unsuccessful', '10 differs', '11 partial'])
    expect([code, listed.includes(code)]).toEqual([code, codes.includes(code)]);
});

describe('the width of help', () => {
  const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));
  test('is that of the terminal, up to 100 columns', async () => {
    const at = async (terminal?: number) =>
      widest((await svc('variables set --help --all', { terminal, env: { NO_COLOR: '1' } })).out);
    const widths = [await at(60), await at(100), await at(200), await at()];
    expect(widths[0]).toBeLessThanOrEqual(60);
    expect(widths[1]).toBeGreaterThan(90);
    expect(widths[2]).toBe(widths[1]);
    expect(widths[3]).toBeGreaterThan(70);
    expect(widths[3]).toBeLessThanOrEqual(80);
  });
});

test('the usage of a command names its required flags, which are reported if missing', async () => {
  const { builtins, areas } = await loadCatalogue();
  const commands = [...areas, ...builtins].flatMap((group) => group.commands);
  const required = commands.flatMap((command) =>
    command.flags.filter((flag) => flag.required !== undefined).map((flag) => ({ command, flag })),
  );
  expect(required.map(({ command, flag }) => `${command.area} ${command.name} --${flag.name}`)).toEqual(
    expect.arrayContaining(['variables copy --from', 'variables copy --to', 'apply apply --file']),
  );
  for (const { command, flag } of required) {
    const path = command.name === command.area ? [command.area] : [command.area, command.name];
    const page = await svc([...path, '--help']);
    expect(page.out).toMatch(new RegExp(`^  svc ${path.join(' ')} .*--${flag.name} <`, 'm'));
    const words = command.arguments.filter((argument) => argument.required).map(() => '1');
    const others = command.flags.filter((other) => other.required !== undefined && other !== flag);
    const { code, err, requests } = await svc([
      ...path,
      ...words,
      ...others.flatMap(({ name }) => [`--${name}`, 'x']),
    ]);
    expect([code, requests]).toEqual([2, []]);
    expect(err).toContain(`-${flag.short ?? `-${flag.name}`} is missing\nhint: ${flag.required}`);
  }
});
