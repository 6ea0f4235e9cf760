/**
 * Run a TypeScript program of this checkout: `node scripts/run.mjs scripts/generate.ts --check`.
 * Bundles it into node_modules/.cache/svc and imports that; Node 20 knows no TypeScript.
 */
import { rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const [entry, ...rest] = process.argv.slice(2);
if (entry === undefined) {
  console.error('usage: node scripts/run.mjs <file.ts> [arguments]');
  process.exitCode = 2;
} else {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const dir = join(root, 'node_modules/.cache/svc', `${basename(entry, '.ts')}-${process.pid}`);
  const bundle = await rolldown({
    input: resolve(entry),
    platform: 'node',
    external: /^[^./]/,
    logLevel: 'warn',
  });
  await bundle.write({ dir, format: 'esm', entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' });
  await bundle.close();
  process.argv = [process.argv[0], entry, ...rest];
  try {
    await import(pathToFileURL(join(dir, 'main.mjs')).href);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
