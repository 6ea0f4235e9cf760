// npm run build: bundles the program and the sandbox for tests into dist/. A failed build does not change dist/.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { bundle } from './bundle.mjs';
import { identity } from './identity.mjs';
import { notices, packagesOf } from './notices.mjs';

/**
 * Modules that share a file with everything that they import, since each file that Node opens takes a third of a millisecond. A module
 * that belongs to several groups is in the first one.
 */
const groups = [
  // Every run.
  ['main', /src\/main\.ts$/],
  // Every area.
  [
    'catalogue',
    /src\/(?:cli\/catalogue|cli\/unknown|cli\/terminal\/terminal|spec\/(?:compose|command|request|resource|result)|api\/(?:scopes|parts)|tasks\/context)\.ts$/,
  ],
  // Command lines that are parsed.
  ['parse', /src\/cli\/argv\/(?:parse|values)\.ts$/],
  // Requests that are built.
  [
    'request',
    /src\/(?:cli\/(?:call\/run|session\/(?:settings|session))|config\/credentials|output\/(?:index|table\/table))\.ts$/,
  ],
  // Requests that are sent.
  ['transport', /src\/http\/(?:client|node\/transport)\.ts$/],
  ['help', /src\/(?:cli|docs)\/help\.ts$/],
  // Tasks, and files that are sent or received.
  ['task', /src\/cli\/call\/(?:task\/context|transfer)\.ts$/],
].map(([name, test], index) => ({ name, test, priority: 9 - index }));

/** The modules of the sandbox for tests, except git and rendering, which few tests need. */
const libraryGroups = [
  {
    name: 'sandbox-modules',
    test: /src\/(?:sandbox\/(?:sandbox|serve)\.ts|sandbox\/seed\/data\/world\.json|api\/[\w-]+\.ts)$/,
  },
];

const entryOf = (chunks) => JSON.stringify(`./${chunks.find(({ isEntry }) => isEntry).fileName}`);

const dir = `dist.${process.pid}`;
try {
  await mkdir(dir, { recursive: true });
  await writeFile(`${dir}/package.json`, '{ "type": "commonjs" }\n');
  // Names stay, for stack traces. The maps are not published.
  const options = {
    sourcemap: 'hidden',
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  };
  const entryFileNames = '[name]-[hash].js';
  const program = await bundle({ main: 'src/main.ts' }, dir, await identity(process.cwd()), {
    ...options,
    entryFileNames,
    codeSplitting: { groups },
  });
  // The sandbox for tests shares no file with the program, so that it loads nothing else.
  const library = await bundle(
    { library: 'src/library.ts' },
    dir,
    {},
    { ...options, entryFileNames, codeSplitting: { groups: libraryGroups } },
  );
  // Files that Node itself loads.
  const loadedByNode = { start: 'src/start.ts', 'jq-worker': 'src/cli/call/jq/jq-worker.js' };
  const names = { __MAIN__: entryOf(program), __LIBRARY__: entryOf(library) };
  const chunks = [...program, ...(await bundle(loadedByNode, dir, names, options))];
  library.push(...(await bundle({ sandbox: 'src/start-library.ts' }, dir, names, options)));
  const types = await readFile('src/sandbox/control/types.ts', 'utf8');
  const doc =
    'Start a sandbox in the memory of this process, on a port of 127.0.0.1. Any number can run at the same time.';
  const entry = 'export declare function createSandbox(options?: SandboxOptions): Promise<TestSandbox>;\n';
  await writeFile(`${dir}/sandbox.d.ts`, `${types}\n/** ${doc} */\n${entry}`);
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
  await rm('dist', { recursive: true, force: true });
  await rename(dir, 'dist');
} finally {
  await rm(dir, { recursive: true, force: true });
}
