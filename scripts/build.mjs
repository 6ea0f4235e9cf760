// npm run build: src/main.ts -> dist/, one chunk for each area and each thing that only some commands need.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { bundle } from './bundle.mjs';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));
await rm('dist', { recursive: true, force: true });
await mkdir('dist', { recursive: true });
await writeFile('dist/package.json', '{ "type": "commonjs" }\n');
const output = await bundle({ main: 'src/main.ts' }, 'dist', { __VERSION__: JSON.stringify(version) });
// Which source files stand in which chunk: the start-up test reads what a command loads.
const chunks = output
  .filter((file) => file.type === 'chunk')
  .map((chunk) => [chunk.fileName, chunk.moduleIds.map((id) => id.replace(`${process.cwd()}/`, ''))]);
await writeFile('dist/chunks.json', `${JSON.stringify(Object.fromEntries(chunks), null, 1)}\n`);
