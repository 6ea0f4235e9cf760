// npm run build: src/start.ts -> dist/. A build that fails leaves the old dist/ as it was.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundle } from './bundle.mjs';
import { grouping } from './groups.mjs';
import { notices } from './notices.mjs';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const dir = `dist.${process.pid}`;
try {
  await mkdir(dir, { recursive: true });
  await writeFile(`${dir}/package.json`, '{ "type": "commonjs" }\n');
  const output = await bundle(
    { start: 'src/start.ts', 'jq-worker': 'src/cli/call/jq/jq-worker.js' },
    dir,
    { __VERSION__: JSON.stringify(version) },
    { groups: [grouping(process.cwd())] },
  );
  const chunks = output.filter((file) => file.type === 'chunk');
  refuseCycles(chunks);
  // Which source files stand in which chunk: the start-up test reads what a command loads.
  const inside = chunks.map((chunk) => [
    chunk.fileName,
    chunk.moduleIds.map((id) => id.replace(`${process.cwd()}/`, '')),
  ]);
  await writeFile(`${dir}/chunks.json`, `${JSON.stringify(Object.fromEntries(inside), null, 1)}\n`);
  await writeFile(`${dir}/LICENSES.txt`, notices(chunks.flatMap((chunk) => chunk.moduleIds)));
  await keepCode(dir);
  await rm('dist', { recursive: true, force: true });
  await rename(dir, 'dist');
} finally {
  await rm(dir, { recursive: true, force: true });
}

/**
 * Keep V8's compiled code of what everyday commands load, for the Node that builds: the first run is then as fast as the next.
 * The program writes it into the cache of a temporary home, as it does for every user.
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
    if (status !== 0) throw new Error(`svc ${line} ended with ${status}: ${stderr}`);
  }
  const kept = join(home, 'svc', 'code');
  // Absent where the folder for temporary files is not safe for code: the program then starts slower.
  if (existsSync(kept)) await cp(kept, join(dir, 'code'), { recursive: true });
  rmSync(home, { recursive: true, force: true });
}

/** Files that need each other would see one another half made. */
function refuseCycles(chunks) {
  const imports = new Map(chunks.map((chunk) => [chunk.fileName, chunk.imports]));
  const visit = (file, path) => {
    if (path.includes(file)) throw new Error(`dist: a cycle between files: ${[...path, file].join(' -> ')}`);
    for (const next of imports.get(file) ?? []) visit(next, [...path, file]);
  };
  for (const file of imports.keys()) visit(file, []);
}
