/** The files that a command loads, read from the process itself: no clock. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { beforeAll, describe, expect, test } from 'vitest';
import { areas } from '../../src/api/index.ts';
import { sharedFolder } from '../support/folders.ts';

const root = resolve(import.meta.dirname, '../..');
const node = process.env['SVC_TEST_NODE'] ?? process.execPath;
const folder = sharedFolder();

beforeAll(() => {
  writeFileSync(
    join(folder, 'record.cjs'),
    `const fs = require('node:fs');
const Module = require('node:module');
const seen = new Set();
for (const name of ['readFileSync', 'openSync']) {
  const before = fs[name];
  fs[name] = (file, ...rest) => {
    if (String(file).endsWith('.js')) seen.add(file);
    return before(file, ...rest);
  };
}
const add = (id) => seen.add(id.replace(/^(?:node:)?/, 'node:'));
const { getBuiltinModule } = process;
process.getBuiltinModule = (id) => (add(id), getBuiltinModule(id));
const load = Module._load;
Module._load = function (id) {
  if (id.startsWith('node:')) add(id);
  return load.apply(this, arguments);
};
process.on('exit', () => fs.writeFileSync(process.env.SVC_LOADS, JSON.stringify([...seen])));`,
  );
});

/** The source modules and packages that a command line loaded. */
const loaded = (...argv: string[]): string[] => run(argv, {}, 0);

function run(argv: readonly string[], more: Readonly<Record<string, string>>, code: number): string[] {
  const out = join(folder, 'loads.json');
  const env = {
    ...process.env,
    SVC_LOADS: out,
    SVC_CONFIG_DIR: folder,
    SVC_BASE_URL: 'http://nowhere.invalid',
    SVC_TOKEN: 'token',
    ...more,
  };
  const { status } = spawnSync(node, ['-r', join(folder, 'record.cjs'), join(root, 'bin/svc.js'), ...argv], {
    env,
  });
  expect(status).toBe(code);
  const chunks = JSON.parse(readFileSync(join(root, 'dist/chunks.json'), 'utf8')) as Record<string, string[]>;
  const files = JSON.parse(readFileSync(out, 'utf8')) as string[];
  return files.flatMap((file) =>
    file.startsWith('node:') ? [file] : (chunks[file.slice(file.lastIndexOf('/') + 1)] ?? []),
  );
}

const heavy = /node_modules\/(undici|zod|conf|chalk|ora|csv-stringify|yaml|isomorphic-git)\/|src\/sandbox\//;
/** The code of `svc mcp`, apart from its declaration. */
const mcpCode = /node_modules\/@modelcontextprotocol\/|\?mcp$|src\/cli\/builtin\/mcp\/(?!mcp\.ts)/;
const areaFiles = (modules: readonly string[]) =>
  modules
    .filter((path) => /src\/api\/(?!index|resources|scopes|parts|features)/.test(path))
    .map((path) => path.replace(/.*\//, ''));

describe('modules loaded', () => {
  test('svc --version loads no area, package or sandbox', () => {
    const modules = loaded('--version');
    expect(modules).toContain('src/main.ts');
    expect(areaFiles(modules)).toEqual([]);
    expect(modules.filter((path) => path.includes('node_modules/'))).toEqual([]);
    expect(modules.filter((path) => heavy.test(path))).toEqual([]);
  });

  test('svc variables --help loads one area, and no package except commander', () => {
    const modules = loaded('variables', '--help');
    expect(areaFiles(modules)).toEqual(['variables.ts']);
    expect(modules).toContain('node:fs');
    expect(modules.filter((path) => heavy.test(path))).toEqual([]);
  });

  test.each([...areas.map(({ name }) => name)])('svc %s --help loads no code that runs its tasks', (area) => {
    const modules = loaded(area, '--help');
    expect(modules.filter((path) => path.startsWith('src/http/'))).toEqual([]);
    expect(modules.filter((path) => /^src\/tasks\/engine\/(?!flags|wait)/.test(path))).toEqual([]);
  });

  test('svc loads no area; a command without values to validate loads no zod and no other area', () => {
    expect(areaFiles(loaded())).toEqual([]);
    const modules = loaded('jobs', 'list', '--project', 'acme/rocket', '--dry-run');
    expect(areaFiles(modules)).toEqual(['jobs.ts']);
    expect(modules.filter((path) => heavy.test(path))).toEqual([]);
    expect(modules.some((path) => path.includes('node_modules/commander/'))).toBe(true);
  });

  test('an invalid value loads zod, but nothing to send a request', () => {
    const modules = loaded('jobs', 'list', '--project', 'acme/rocket', '--scope', 'failed', '--dry-run');
    expect(modules.some((path) => path.includes('node_modules/zod/'))).toBe(true);
    // The SDK of svc mcp uses parts that are much larger.
    expect(modules.filter((path) => /zod\/v4\/(classic|locales)\//.test(path))).toEqual([]);
    expect(modules.filter((path) => /node_modules\/(undici|conf|chalk|ora)\//.test(path))).toEqual([]);
  });

  test.each(['-o json', '-o table', '--all --csv'])(
    'a successful request with %s loads nothing for errors and help',
    async (flags) => {
      // In a thread, because this one waits for the command.
      const service = new Worker(
        `const server = require('node:http').createServer((request, response) => {
          response.setHeader('content-type', 'application/json').end('[{"id":1}]');
        });
        const { parentPort } = require('node:worker_threads');
        server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
        { eval: true },
      );
      const [port] = await once(service, 'message');
      const argv = ['jobs', 'list', '--project', '1', ...flags.split(' ')];
      const modules = run(argv, { SVC_BASE_URL: `http://127.0.0.1:${port}` }, 0);
      await service.terminate();
      expect(modules).toContain('src/http/client.ts');
      expect(modules).not.toContain('src/http/errors/response.ts');
      expect(modules.filter((path) => path.startsWith('src/docs/'))).toEqual([]);
    },
  );

  test('a request loads undici only if a proxy is used', () => {
    const argv = ['jobs', 'list', '--project', 'acme/rocket', '--retries', '0'];
    const undici = (env: Record<string, string>) =>
      run(argv, { http_proxy: '', NO_PROXY: '', ...env }, 3).filter((path) =>
        path.includes('node_modules/undici/'),
      );
    expect(undici({})).toEqual([]);
    expect(undici({ http_proxy: 'http://127.0.0.1:9' })).not.toEqual([]);
  });

  test.each([
    ['--version'],
    ['--help'],
    ['mcp', '--help'],
    ['help', 'agents'],
    ['schema'],
    ['schema', 'jobs', 'list'],
    ['config', 'explain'],
    ['jobs', 'list', '--project', 'acme/rocket', '--dry-run'],
    ['variables', 'set', 'A', 'b', '--project', 'acme/rocket', '--dry-run'],
    ['jobs', 'wait', '5', '--project', 'acme/rocket', '--dry-run'],
    ['api', 'version', '--dry-run'],
  ])('svc %s %s loads no code of svc mcp', (...argv) => {
    expect(loaded(...argv).filter((path) => mcpCode.test(path))).toEqual([]);
  });

  test('svc mcp loads the SDK, and only the areas that it serves', () => {
    const modules = loaded('mcp', '--areas', 'jobs', '--quiet');
    expect(modules.filter((path) => mcpCode.test(path))).not.toEqual([]);
    expect(areaFiles(modules)).toEqual(['jobs.ts']);
    expect(
      modules.filter((path) => /node_modules\/(undici|conf|chalk|ora|yaml)\/|src\/sandbox\//.test(path)),
    ).toEqual([]);
  });

  test('no command loads server modules before it serves', () => {
    for (const argv of [
      ['--version'],
      ['variables', '--help'],
      ['jobs', 'list', '--project', 'a/b', '--dry-run'],
    ]) {
      expect(loaded(...argv).filter((path) => /^node:(http|https|http2)$/.test(path))).toEqual([]);
    }
  });
});
