/** Follows the example of CONTRIBUTING.md in a copy: an area file and its handlers, a line in each index, and lines in unspecified.txt. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedFolder } from '../support/folders.ts';

const root = resolve(import.meta.dirname, '../..');
const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const copy = sharedFolder();

/** Return the code block after `<!-- example: NAME -->`, without the indentation of the list. */
function example(name: string): string {
  const [, block] =
    new RegExp(`<!-- example: ${name} -->\\n\\s*\`\`\`\\w+\\n(.*?)\\n\\s*\`\`\``, 's').exec(contributing) ??
    [];
  return `${block?.replace(/^ {3}/gm, '')}\n`;
}

beforeAll(() => {
  for (const name of 'src scripts bin completions test package.json tsconfig.json vitest.config.ts'.split(
    ' ',
  ))
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  writeFileSync(join(copy, 'src/api/labels.ts'), example('src/api/labels.ts'));
  const index = join(copy, 'src/api/index.ts');
  const text = readFileSync(index, 'utf8');
  writeFileSync(
    index,
    text.replace(
      /(?<=^ {2}entry\('content'.*\n)(?! {2}entry\('content')/m,
      `  ${example('src/api/index.ts')}`,
    ),
  );
  mkdirSync(join(copy, 'src/sandbox/areas/labels'));
  const handlers = 'src/sandbox/areas/labels/handlers.ts';
  writeFileSync(join(copy, handlers), example(handlers));
  appendFileSync(join(copy, 'src/sandbox/areas/index.ts'), example('src/sandbox/areas/index.ts'));
  appendFileSync(join(copy, 'test/unspecified.txt'), `\n${example('test/unspecified.txt')}`);
  writeFileSync(join(copy, 'src/tasks/branches.ts'), example('src/tasks/branches.ts'));
  const taskIndex = join(copy, 'src/tasks/index.ts');
  const line = example('src/tasks/index.ts').trim();
  writeFileSync(taskIndex, readFileSync(taskIndex, 'utf8').replace(/^\};$/m, `  ${line}\n};`));
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: copy, stdio: 'pipe' });
});

const svc = (...argv: string[]): string => svcWith('', ...argv);

function svcWith(input: string, ...argv: string[]): string {
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(copy, 'state'),
    XDG_CONFIG_HOME: join(copy, 'config'),
    TERM: 'dumb',
  };
  return execFileSync(process.execPath, [join(copy, 'bin/svc.js'), ...argv], {
    cwd: copy,
    env,
    encoding: 'utf8',
    input,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

describe('an area added as described in CONTRIBUTING.md', () => {
  /** Run a program of a package. Its output is the message of a failure. */
  const checked = (...argv: readonly string[]) => {
    const ran = spawnSync('npx', argv, { cwd: copy, encoding: 'utf8' });
    expect(ran.status, `${ran.stdout}${ran.stderr}`).toBe(0);
  };

  test('compiles', () => checked('tsc', '-p', '.'));

  test('fits the laws of the catalogue', () => checked('vitest', 'run', 'test/catalogue.test.ts'));

  test('has help, and validates its parameters', () => {
    expect(svc('labels', '--help')).toMatch(/create\s+Create a label/);
    expect(svc('labels', 'create', '--help')).toMatch(/--text-color <.*>\s+Color as #rrggbb/);
    expect(svc()).toContain('labels');
    expect(() => svc('--sandbox', 'labels', 'create', '--name', 'bug', '--project', 'acme/rocket')).toThrow(
      /--text-color is missing/,
    );
  });

  test('works in the sandbox as declared', () => {
    const create = (...more: readonly string[]) =>
      svc('--sandbox', 'labels', 'create', '-p', 'acme/rocket', '--json', ...more);
    const made = JSON.parse(create('--name', 'bug', '--text-color', '#d9534f')) as { id: number };
    expect(() => create('--name', 'bug', '--text-color', '#d9534f')).toThrow(/has already been taken/);
    expect(() => create('--name', 'ux', '--text-color', 'pink')).toThrow(/must be a valid color/);
    const list = JSON.parse(svc('--sandbox', 'labels', 'list', '-p', 'acme/rocket', '--json')) as unknown[];
    expect(list).toEqual([{ id: made.id, name: 'bug', text_color: '#d9534f', description: null }]);
    svc('--sandbox', 'labels', 'delete', String(made.id), '-p', 'acme/rocket', '--yes');
    expect(JSON.parse(svc('--sandbox', 'labels', 'list', '-p', 'acme/rocket', '--json'))).toEqual([]);
  });
});

describe('a task that returns rows, added as described in CONTRIBUTING.md', () => {
  const names = ['feature/search', 'hotfix/typo'];
  const merged = ['branches', 'merged'];
  const inRocket = ['--project', 'acme/rocket'];

  test('prints them in every format', () => {
    const csv = svc('--sandbox', ...merged, ...inRocket, '-o', 'csv', '--fields', 'name');
    expect(csv.split('\r\n')).toEqual(['name', ...names, '']);
    expect(svc('--sandbox', ...merged, ...inRocket, '--jq', '.[].name', '-r')).toBe(`${names.join('\n')}\n`);
  });

  test('has a column for the target in svc each', () => {
    writeFileSync(join(copy, 'projects.txt'), 'acme/rocket\nacme/website\n');
    const csv = ['-o', 'csv', '--fields', 'name'];
    const out = svc('--sandbox', 'each', '--projects', 'projects.txt', ...csv, '--', ...merged);
    expect(out.split('\r\n')).toEqual(['TARGET,name', ...names.map((name) => `acme/rocket,${name}`), '']);
  });

  test('is a tool of svc mcp', () => {
    const client = {
      protocolVersion: '2025-03-26',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const call = { name: 'branches_merged', arguments: { project: 'acme/rocket' } };
    const messages = [
      { id: 1, method: 'initialize', params: client },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: call },
    ];
    const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
    const out = svcWith(input, '--sandbox', 'mcp', '--areas', 'branches');
    const { result } = JSON.parse(out.trim().split('\n').at(-1) as string);
    expect(result.structuredContent.rows.map(({ name }: { name: string }) => name)).toEqual(names);
  });
});
