// Runs a TypeScript program, which Node 20 cannot do: node scripts/run.mjs scripts/generate.ts --check
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { identity } from './identity.mjs';

const [entry, ...rest] = process.argv.slice(2);
if (entry === undefined) {
  console.error('usage: node scripts/run.mjs <file.ts> [arguments]');
  process.exitCode = 2;
} else {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const dir = join(root, 'node_modules/.cache/svc', `${basename(entry, '.ts')}-${process.pid}`);
  try {
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, 'package.json'), '{ "type": "commonjs" }\n');
    await bundle({ main: entry }, dir, await identity(root, process.cwd()), { minify: false });
    process.argv = [process.argv[0], entry, ...rest];
    await (await import(pathToFileURL(join(dir, 'main.js')).href)).default.done;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
