// npm run build: src/main.ts -> dist/, one chunk for each area and each thing that only some commands need.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { bundle } from './bundle.mjs';
import { groups } from './groups.mjs';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
await rm('dist', { recursive: true, force: true });
await mkdir('dist', { recursive: true });
await writeFile('dist/package.json', '{ "type": "commonjs" }\n');
const output = await bundle(
  { main: 'src/main.ts' },
  'dist',
  { __VERSION__: JSON.stringify(version) },
  { groups },
);
// Which source files stand in which chunk: the start-up test reads what a command loads.
const chunks = output
  .filter((file) => file.type === 'chunk')
  .map((chunk) => [chunk.fileName, chunk.moduleIds.map((id) => id.replace(`${process.cwd()}/`, ''))]);
await writeFile('dist/chunks.json', `${JSON.stringify(Object.fromEntries(chunks), null, 1)}\n`);

// jq's engine is looked for beside the code that loads it.
await cp('node_modules/jq-wasm/dist/build/jq.wasm', 'dist/build/jq.wasm');

// A cycle between files would make one of them see the other half made.
const imports = new Map(
  output.filter((file) => file.type === 'chunk').map((chunk) => [chunk.fileName, chunk.imports]),
);
const visit = (file, path) => {
  if (path.includes(file))
    throw new Error(`dist: files need each other: ${[...path, file].join(' -> ')}; see scripts/groups.mjs`);
  for (const next of imports.get(file) ?? []) visit(next, [...path, file]);
};
for (const file of imports.keys()) visit(file, []);
