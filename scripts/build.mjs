// npm run build: bundles src/start.ts into dist/. A failed build does not change dist/.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundle } from './bundle.mjs';
import { grouping, libraryGroups } from './groups.mjs';
import { identity } from './identity.mjs';
import { notices, packagesOf } from './notices.mjs';

const dir = `dist.${process.pid}`;
try {
  await mkdir(dir, { recursive: true });
  await writeFile(`${dir}/package.json`, '{ "type": "commonjs" }\n');
  const entries = { main: 'src/main.ts', 'compiled-code': 'src/support/compiled-code.ts' };
  const program = await bundle(entries, dir, await identity(process.cwd()), {
    groups: [grouping(process.cwd())],
    wrap: true,
  });
  const fileOf = (entry) => {
    const found = program.find(({ name, isEntry }) => isEntry && name === entry);
    return JSON.stringify(`./${found.fileName}`);
  };
  // Files that Node itself loads.
  const loadedByNode = await bundle(
    { start: 'src/start.ts', 'jq-worker': 'src/cli/call/jq/jq-worker.js' },
    dir,
    { __MAIN__: fileOf('main'), __COMPILED_CODE__: fileOf('compiled-code') },
  );
  const chunks = [...loadedByNode, ...program].filter((file) => file.type === 'chunk');
  refuseCycles(chunks);
  const library = await buildLibrary(dir);
  refuseCycles(library);
  // The source files of each chunk; test/architecture/loads.test.ts uses them.
  const sources = chunks.map((chunk) => [
    chunk.fileName,
    chunk.moduleIds.map((id) => id.replace(`${process.cwd()}/`, '')),
  ]);
  await writeFile(`${dir}/chunks.json`, `${JSON.stringify(Object.fromEntries(sources), null, 1)}\n`);
  const packages = packagesOf([...chunks, ...library].flatMap((chunk) => chunk.moduleIds));
  await writeFile(`${dir}/LICENSES.txt`, notices(packages));
  // For the bill of materials of a release.
  const named = packages.map(({ name, version, license }) => ({ name, version, license }));
  await writeFile(`${dir}/packages.json`, `${JSON.stringify(named, null, 1)}\n`);
  await keepCode(dir);
  await rm('dist', { recursive: true, force: true });
  await rename(dir, 'dist');
} finally {
  await rm(dir, { recursive: true, force: true });
}

/**
 * Build the sandbox for tests, with its types. It shares no file with the program, so that it loads nothing else.
 */
async function buildLibrary(dir) {
  const output = await bundle(
    { sandbox: 'src/library.ts' },
    dir,
    {},
    { groups: [grouping(process.cwd(), libraryGroups)] },
  );
  const types = await readFile('src/sandbox/control/types.ts', 'utf8');
  const entry = 'export declare function createSandbox(options?: SandboxOptions): Promise<TestSandbox>;\n';
  const doc =
    '/** Start a sandbox in the memory of this process, on a port of 127.0.0.1. Any number can run at the same time. */\n';
  await writeFile(`${dir}/sandbox.d.ts`, `${types}\n${doc}${entry}`);
  return output.filter((file) => file.type === 'chunk');
}

/**
 * Add the code cache of frequent commands for this version of Node, so that the first run is fast too.
 * The program writes the cache into a temporary home, as it does for every user.
 */
async function keepCode(dir) {
  const home = mkdtempSync(join(tmpdir(), 'svc-build-'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    USERPROFILE: home,
    LOCALAPPDATA: home,
    XDG_STATE_HOME: home,
    XDG_CONFIG_HOME: home,
    XDG_CACHE_HOME: home,
  };
  for (const line of [
    '--sandbox jobs list --project acme/rocket --json',
    '--sandbox jobs list --project acme/rocket --scope failed',
    'variables --help',
    '--help',
    '--version',
  ]) {
    const { status, stderr } = spawnSync(process.execPath, [resolve(dir, 'start.js'), ...line.split(' ')], {
      env,
      cwd: home,
    });
    if (status !== 0) throw new Error(`svc ${line} failed with exit code ${status}: ${stderr}`);
  }
  const cache = join(home, 'svc', 'code');
  // Absent if the temporary folder is not safe for code. The program then starts more slowly.
  if (existsSync(cache)) await cp(cache, join(dir, 'code'), { recursive: true });
  rmSync(home, { recursive: true, force: true });
}

/** Fail if files import each other: one would run before the other is initialized. */
function refuseCycles(chunks) {
  const loaded = (chunk) => chunk.imports.filter((file) => !file.startsWith('deferred-'));
  const imports = new Map(chunks.map((chunk) => [chunk.fileName, loaded(chunk)]));
  const visit = (file, path) => {
    if (path.includes(file)) throw new Error(`dist: import cycle: ${[...path, file].join(' -> ')}`);
    for (const next of imports.get(file) ?? []) visit(next, [...path, file]);
  };
  for (const file of imports.keys()) visit(file, []);
}
