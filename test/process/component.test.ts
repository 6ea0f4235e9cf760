/** The CI/CD components templates/svc.yml and templates/fleet.yml: their inputs, and their scripts as a runner executes them. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { formats } from '../../src/support/text/formats.ts';
import { makeFolder, root, run } from '../docs/examples.ts';

const folder = await makeFolder();

interface Input {
  readonly description?: string;
  readonly default?: string | number;
  readonly options?: readonly string[];
  readonly regex?: string;
}
interface Job {
  readonly stage: string;
  readonly image: { readonly name: string; readonly entrypoint: readonly string[] };
  readonly variables?: Readonly<
    Record<string, string | { readonly value: string; readonly expand: boolean }>
  >;
  readonly script: readonly string[];
  readonly artifacts: { readonly paths: readonly string[]; readonly when: string; readonly access: string };
}

async function read(name: string) {
  const text = await readFile(resolve(root, 'templates', name), 'utf8');
  const documents = parseAllDocuments(text);
  const [header, template] = documents.map((one) => one.toJS());
  const inputs = header.spec.inputs as Readonly<Record<string, Input>>;
  const used = [...text.slice(text.indexOf('\n---\n')).matchAll(/\$\[\[ inputs\.(\w+) \]\]/g)];
  return { text, documents, header, template, inputs, used: used.map(([, one]) => one) };
}
const component = await read('svc.yml');
const fleet = await read('fleet.yml');

/** Replace the inputs in every text of a value, as the service does after it parsed the file. */
function interpolated(value: unknown, given: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => given[name] as string);
  if (Array.isArray(value)) return value.map((one) => interpolated(one, given));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [interpolated(key, given), interpolated(one, given)]),
  );
}

const variablesOf = ({ variables = {} }: Job) =>
  Object.fromEntries(
    Object.entries(variables).map(([name, one]) => [name, typeof one === 'string' ? one : one.value]),
  );

/** Validate inputs as the service does, and return the jobs. */
function jobsOf({ inputs, template }: typeof component, given: Readonly<Record<string, string>>) {
  const all: Record<string, string> = {};
  for (const [name, { default: usual, options, regex }] of Object.entries(inputs)) {
    const value = given[name] ?? usual;
    if (value === undefined) throw new Error(`the input ${name} is missing`);
    if (options && !options.includes(String(value))) throw new Error(`${name}: not an option`);
    if (regex && !new RegExp(regex).test(String(value))) throw new Error(`${name}: does not match`);
    all[name] = String(value);
  }
  return interpolated(template, all) as Record<string, Job>;
}
const jobOf = (given: Readonly<Record<string, string>>) => Object.values(jobsOf(component, given))[0] as Job;

describe.each([
  ['svc.yml', component, ['command', 'image']],
  ['fleet.yml', fleet, ['group', 'image']],
])('the file %s', (_, { documents, header, text, inputs, used }, required) => {
  test('has a header and jobs', () => {
    expect(documents.map(({ errors, warnings }) => [...errors, ...warnings])).toEqual([[], []]);
    expect(Object.keys(header)).toEqual(['spec']);
  });

  test('uses each input, and no other', () => {
    expect([...new Set(used)].sort()).toEqual(Object.keys(inputs).sort());
    expect(text.match(/\$\[\[/g)).toHaveLength(used.length);
  });

  test('describes each input, and requires only two', () => {
    for (const [name, { description = '' }] of Object.entries(inputs))
      expect(description, name).toMatch(/\.$/);
    const without = Object.entries(inputs).filter(([, one]) => one.default === undefined);
    expect(without.map(([name]) => name)).toEqual(required);
  });
});

describe('the job of svc.yml', () => {
  test('is one, which uses each input once', () => {
    expect(Object.keys(component.template)).toHaveLength(1);
    expect(component.used).toHaveLength(new Set(component.used).size);
  });

  test('offers the output formats of the program, except the one for files', () => {
    expect(component.inputs['output']?.options).toEqual(['', ...formats.filter((one) => one !== 'raw')]);
  });

  test('passes inputs to the script as variables, which only the command expands', () => {
    const names = ['command', 'image', 'base_url', 'project', 'group'];
    const job = jobOf(Object.fromEntries(names.map((name) => [name, 'INPUT'])));
    expect(job.script.join('')).not.toContain('INPUT\n');
    expect(job.script.join('').match(/INPUT(?!_)/g)).toBeNull();
    const expanded = Object.entries(job.variables ?? {}).filter(
      ([name, one]) => name.startsWith('SVC_INPUT_') && typeof one === 'string',
    );
    expect(expanded.map(([name]) => name)).toEqual(['SVC_INPUT_COMMAND']);
  });

  test('keeps the audit log as an artifact that guests cannot read', () => {
    const job = jobOf({ command: 'x', image: 'x' });
    expect(job.script.join('')).toContain(`export SVC_AUDIT_LOG=${job.artifacts.paths}\n`);
    expect(job.artifacts).toMatchObject({ when: 'always', access: 'developer' });
    expect(job.image.entrypoint).toEqual(['']);
  });
});

/** The inputs of the examples in the documentation. */
const examples = [
  ...(await readFile(resolve(root, 'docs/ci.md'), 'utf8')).matchAll(/^```yaml\n(include:\n[\s\S]*?)^```$/gm),
].flatMap(([, block = '']) =>
  (parse(block) as { include: { component: string; inputs: Record<string, string> }[] }).include.flatMap(
    ({ component, inputs: given }) => (component.includes('/svc@') ? [given] : []),
  ),
);

const hasBusyBox = spawnSync('busybox', ['true']).status === 0;
const shells = ['bash -euo pipefail', 'dash -eu', ...(hasBusyBox ? ['busybox sh -eu'] : [])];

describe('the script of svc.yml', () => {
  /** The variables of a job of the sandbox. */
  const predefined = `
export CI=true CI_SERVER_URL=$SVC_BASE_URL CI_API_V4_URL=$SVC_BASE_URL/api/v4 CI_JOB_TOKEN=$SVC_JOB_TOKEN CI_PROJECT_ID=100
export TOKEN_OF_BOT=$SVC_TOKEN
unset SVC_BASE_URL SVC_JOB_TOKEN SVC_TOKEN
`;

  interface Running {
    readonly shell?: string;
    readonly env?: Readonly<Record<string, string>>;
    /** Lines around those of the script. */
    readonly before?: string;
    readonly after?: string;
  }

  /** Run the script in a new folder, as the runner does: a shell executes it as one text. */
  async function runJob(given: Readonly<Record<string, string>>, running: Running = {}) {
    const { shell = 'bash -euo pipefail', env = {}, before = '', after = '' } = running;
    const job = jobOf({ image: 'svc', ...given });
    const SCRIPT = `${before}\n${job.script.join('\n')}\n${after}`;
    return run(folder, `${predefined}exec ${shell} -c "$SCRIPT"`, { ...variablesOf(job), ...env, SCRIPT });
  }

  describe.each(shells)('with %s', (shell) => {
    test('runs the command with the job token', async () => {
      const { exitCode, stdout, stderr } = await runJob({ command: 'jobs current --json' }, { shell });
      expect([exitCode, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toHaveProperty('pipeline');
    });

    test('uses the access token in the named variable', async () => {
      const given = { command: 'variables list', token_variable: 'TOKEN_OF_BOT', output: 'csv' };
      const { exitCode, stdout } = await runJob(given, { shell });
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^key,/);
    });

    test('exits with the code of svc', async () => {
      const given = { command: 'variables get NONE', token_variable: 'TOKEN_OF_BOT' };
      expect((await runJob(given, { shell })).exitCode).toBe(5);
      expect((await runJob({ command: 'jbos' }, { shell })).exitCode).toBe(2);
    });

    const malformed = [
      'variables delete API_TOKEN --yes "unterminated',
      "variables delete API_TOKEN --yes 'in\nquotes'",
      'variables delete API_TOKEN --yes escaped\\\nbreak',
      'variables delete API_TOKEN --yes \\',
    ];
    test.each(malformed)('runs nothing if the words are malformed: %j', async (command) => {
      const given = { command, token_variable: 'TOKEN_OF_BOT', read_only: 'false' };
      const { exitCode, stdout, stderr } = await runJob(given, { shell });
      const help = 'close each quote on its line, and end no line with a backslash';
      expect([exitCode, stdout, stderr]).toEqual([2, '', `the input "command" is malformed: ${help}`]);
    });

    test.each(['', ' \n\t'])('refuses a command without words: %j', async (command) => {
      const { exitCode, stdout, stderr } = await runJob({ command }, { shell });
      expect([exitCode, stdout, stderr]).toEqual([2, '', 'the input "command" is empty']);
    });

    const words: readonly (readonly [command: string, words: readonly string[]])[] = [
      [`a "b  c" 'd "e"' f"g h"i`, ['a', 'b  c', 'd "e"', 'fg hi']],
      ['a\\ b \\"c \\\\ \\d', ['a b', '"c', '\\', 'd']],
      ['xa\n  b\n', ['xa', 'b']],
      [`a "" x ''`, ['a', '', 'x', '']],
      [`"" '' a`, ['', '', 'a']],
      ['a\tb \t\n\n c\n', ['a', 'b', 'c']],
      ["a ''\n''\nEOF\n  EOF", ['a', '', '', 'EOF', 'EOF']],
      [`"'" '"' a"'"b '\\' "\\" \\' \\" x\\ `, ["'", '"', "a'b", '\\', '\\', "'", '"', 'x ']],
      ['[a]*? ~ {a,b} !x %s ä\\öü "中 文"', ['[a]*?', '~', '{a,b}', '!x', '%s', 'äöü', '中 文']],
      ['--a="b c" --d=""', ['--a=b c', '--d=']],
      ['* $HOME `id` EOF # -n', ['*', '$HOME', '`id`', 'EOF', '#', '-n']],
    ];
    test.each(words)('runs svc once, with the words of %j', async (command, expected) => {
      // xargs of BusyBox drops empty words, and an image may not contain it.
      const before = `xargs() { exit 99; }; svc() { printf '<%s>' "$@"; cat; echo; }`;
      const { stdout } = await runJob({ command }, { shell, before });
      expect(stdout).toBe(expected.map((word) => `<${word}>`).join(''));
    });

    test.each([
      ['not set', {}],
      ['empty', { NOT_SET: '' }],
    ])('does not use the job token if the named variable is %s', async (_, more) => {
      const given = { command: 'jobs current', token_variable: 'NOT_SET' };
      const { exitCode, stdout, stderr } = await runJob(given, { shell, env: more });
      expect([exitCode, stdout, stderr]).toEqual([4, '', 'the variable NOT_SET is empty or not set']);
    });
  });

  test.each(examples)('runs the example of the documentation: $command', async (given) => {
    const token = { [given['token_variable'] ?? '']: 'sandbox-admin' };
    const { exitCode, stderr } = await runJob(given, { env: token });
    expect(exitCode, stderr).toBe(0);
  });

  test('splits a line of 2,000 characters', async () => {
    for (const command of ['a'.repeat(2_000), 'a '.repeat(1_000), `'a b'`.repeat(400), '\\a'.repeat(1_000)]) {
      for (const shell of shells) {
        expect((await runJob({ command }, { shell, before: 'svc() { echo $#; }' })).exitCode).toBe(0);
      }
    }
  });

  test('refuses writes, unless read_only is false', async () => {
    const given = { command: 'variables set LOG_LEVEL "very verbose"', token_variable: 'TOKEN_OF_BOT' };
    const refused = await runJob(given);
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('SVC_READ_ONLY')]);
    const done = await runJob({ ...given, read_only: 'false' });
    expect(done.exitCode).toBe(0);
    expect(done.stderr).toContain('LOG_LEVEL');
  });

  test('ignores variables of a pipeline in place of read_only, output, token_variable and the audit log', async () => {
    const variables = {
      SVC_READ_ONLY: '0',
      SVC_OUTPUT: 'yaml',
      SVC_AUTH: 'job',
      SVC_AUDIT_LOG: '/dev/null',
      SVC_INPUT_READ_ONLY: 'false',
      SVC_INPUT_OUTPUT: 'yaml',
      SVC_INPUT_TOKEN_VARIABLE: 'OTHER',
      OTHER: 'sandbox-guest',
      svc_output: 'yaml',
      svc_token_variable: 'OTHER',
    };
    const given = { token_variable: 'TOKEN_OF_BOT', output: 'csv' };
    const list = await runJob({ ...given, command: 'variables list' }, { env: variables });
    expect([list.exitCode, list.stdout]).toEqual([0, expect.stringMatching(/^key,/)]);
    const plain = { ...given, output: '', command: 'variables list' };
    expect((await runJob(plain, { env: variables })).stdout).toMatch(/^KEY /);
    const write = { ...given, command: 'variables set LOG_LEVEL x' };
    const refused = await runJob(write, { env: variables });
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('read-only mode')]);
    const { artifacts } = jobOf({ image: 'svc', ...write });
    const { stdout } = await runJob(
      { ...write, read_only: 'false' },
      { env: { ...variables, SVC_READ_ONLY: '' }, after: `cat ${artifacts.paths}` },
    );
    expect(stdout).toMatch(/"phase":"intent"/);
  });

  test('uses the base URL, the project and the group of the inputs', async () => {
    const names = { base_url: 'https://other.example', project: 'a/b', group: 'g' };
    const given = { command: 'config explain --json', ...names };
    const { stdout } = await runJob(given);
    for (const text of ['https://other.example', '"a/b"', '"g"']) expect(stdout).toContain(text);
  });

  const attacks = [
    '$(touch pwned)',
    '`touch pwned`',
    '; touch pwned;',
    '" ; touch pwned ; "',
    "' ; touch pwned ; '",
    '| touch pwned',
    '&& touch pwned',
    '> pwned',
    '\ntouch pwned\n',
  ];
  const check = async (given: Readonly<Record<string, string>>) => {
    const job = jobOf({ image: 'svc', command: 'version', ...given });
    const line = `${predefined}bash -euo pipefail -c "$SCRIPT" || true; ls -A`;
    const { stdout } = await run(folder, line, { ...variablesOf(job), SCRIPT: job.script.join('\n') });
    // The folder contains only the home.
    expect(stdout).toMatch(/(^|\n)home$/);
    expect(stdout).not.toMatch(/^pwned$/m);
  };

  test.each(attacks)('evaluates no part of the inputs: %j', async (attack) => {
    await check({ command: `version ${attack}` });
    await check({ base_url: attack, project: attack, group: attack });
  });

  test.each(attacks)('%j is neither a name of a variable nor an option', (attack) => {
    expect(() => jobOf({ command: 'x', image: 'x', token_variable: attack })).toThrow('does not match');
    for (const name of ['read_only', 'output'])
      expect(() => jobOf({ command: 'x', image: 'x', [name]: attack })).toThrow('not an option');
  });
});

describe('the jobs of fleet.yml', () => {
  const required = { group: 'acme', image: 'svc:latest' };

  test('get texts as variables, which nothing expands', () => {
    const { fleet: job } = jobsOf(fleet, { ...required, group: 'INPUT', files: 'INPUT', base_url: 'INPUT' });
    expect(job?.script.join('')).not.toMatch(/[^_]INPUT[^_]/);
    const expands = Object.values(job?.variables ?? {}).map((one) => typeof one === 'string' || one.expand);
    expect(expands).toEqual([false, false, false]);
  });

  test('end with one that waits for all, and runs after a failure too', () => {
    const { fleet: job, 'fleet:report': report } = jobsOf(fleet, { ...required, parallel: '20' });
    expect(job).toMatchObject({ parallel: '20', artifacts: { when: 'always' } });
    expect(report).toMatchObject({ needs: ['fleet'], when: 'always' });
    expect(report?.script).toEqual(["svc each report svc-journal-*.ndjson --expect '20'"]);
  });

  test('have each project in one journal, and one exit code for all', async () => {
    const { fleet: job, 'fleet:report': report } = jobsOf(fleet, { ...required, parallel: '3' });
    const script = `
printf 'svc: 1\\nvariables: [{ key: LOG_LEVEL, value: info }]\\n' > settings.yaml
export SVC_INPUT_GROUP=acme SVC_INPUT_FILES=settings.yaml SVC_INPUT_BASE_URL= CI_NODE_TOTAL=3
for CI_NODE_INDEX in 1 2 3; do
  export CI_NODE_INDEX
  sh -eu <<'JOB' > /dev/null 2>&1 || exit 1
${job?.script.join('\n')}
JOB
done
${report?.script.join('\n')}
rm svc-journal-2.ndjson
echo "exit $?"
${report?.script.join('\n')}
`;
    const { exitCode, stdout, stderr } = await run(folder, script);
    expect(stdout).toMatch(/^3 targets: 3 done, 0 failed, 0 unknown, 0 not started\nexit 0\n/);
    expect([exitCode, stderr]).toEqual([11, expect.stringContaining('3')]);
  });
});
