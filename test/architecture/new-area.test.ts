/** Follows the example of CONTRIBUTING.md in a copy: an area file and its handlers, a line in each index, and lines in routes.txt. */
import { execFileSync } from 'node:child_process';
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
    new RegExp(`<!-- example: ${name} -->\\n\\s*\`\`\`ts\\n(.*?)\\n\\s*\`\`\``, 's').exec(contributing) ?? [];
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
  writeFileSync(index, text.replace(/^\];$/m, `  ${example('src/api/index.ts').trim()}\n];`));
  mkdirSync(join(copy, 'src/sandbox/areas/labels'));
  const handlers = 'src/sandbox/areas/labels/handlers.ts';
  writeFileSync(join(copy, handlers), example(handlers));
  appendFileSync(join(copy, 'src/sandbox/areas/index.ts'), example('src/sandbox/areas/index.ts'));
  const all = { list: 'GET', create: 'POST' };
  const one = { get: 'GET', update: 'PUT', delete: 'DELETE' };
  const routes = [
    ...Object.entries(all).map(([name, method]) => `labels ${name}\t${method} /projects/:id/labels`),
    ...Object.entries(one).map(
      ([name, method]) => `labels ${name} <label-id>\t${method} /projects/:id/labels/:label_id`,
    ),
  ];
  const laws = join(copy, 'test/catalogue.test.ts');
  writeFileSync(
    laws,
    readFileSync(laws, 'utf8').replace('(routes).toHaveLength(117)', '(routes).toHaveLength(122)'),
  );
  appendFileSync(join(copy, 'test/routes.txt'), `\n# 4.22 Labels\n${routes.join('\n')}\n`);
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
  test('compiles', () => {
    execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], {
      cwd: copy,
      stdio: 'pipe',
    });
  });

  test('matches the routes of the specification', () => {
    const run = ['vitest', 'run', 'test/catalogue.test.ts', '-t', 'every route'];
    const out = execFileSync('npx', run, { cwd: copy, encoding: 'utf8', stdio: 'pipe' });
    expect(out).toMatch(/passed/);
  });

  test('has help', () => {
    expect(svc('labels', '--help')).toMatch(/create\s+Create a label/);
    expect(svc('labels', 'create', '--help')).toMatch(/--color <.*>\s+Color as #rrggbb/);
    expect(svc()).toContain('labels');
  });

  test('validates its parameters', () => {
    expect(() => svc('--sandbox', 'labels', 'create', '--name', 'bug', '--project', 'acme/rocket')).toThrow(
      /--color is missing/,
    );
  });

  test('works in the sandbox as declared', () => {
    const create = (...more: readonly string[]) =>
      svc('--sandbox', 'labels', 'create', '-p', 'acme/rocket', '--json', ...more);
    const made = JSON.parse(create('--name', 'bug', '--color', '#d9534f')) as { id: number };
    expect(() => create('--name', 'bug', '--color', '#d9534f')).toThrow(/has already been taken/);
    expect(() => create('--name', 'ux', '--color', 'pink')).toThrow(/must be a valid color/);
    const list = JSON.parse(svc('--sandbox', 'labels', 'list', '-p', 'acme/rocket', '--json')) as unknown[];
    expect(list).toEqual([{ id: made.id, name: 'bug', color: '#d9534f', description: null }]);
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
