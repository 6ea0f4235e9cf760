// npm run build: src/main.ts -> dist/. A build that fails leaves the old dist/ as it was.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { bundle } from './bundle.mjs';
import { grouping } from './groups.mjs';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
const dir = `dist.${process.pid}`;
try {
  await mkdir(dir, { recursive: true });
  await writeFile(`${dir}/package.json`, '{ "type": "commonjs" }\n');
  const output = await bundle(
    { main: 'src/main.ts' },
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
  await rm('dist', { recursive: true, force: true });
  await rename(dir, 'dist');
} finally {
  await rm(dir, { recursive: true, force: true });
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
