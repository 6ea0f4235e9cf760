import { dirname, join } from 'node:path/posix';
import { describe, expect, test } from 'vitest';
import { sources, withoutComments } from '../support/sources.ts';

/** The rooms that each room may import from, besides itself. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  support: [],
  errors: ['support'],
  spec: ['support', 'errors'],
  api: ['spec', 'support'],
  webhooks: ['spec', 'support'],
  http: ['support', 'errors'],
  output: ['support', 'errors'],
  config: ['support', 'errors'],
  docs: ['spec', 'api', 'webhooks', 'support', 'errors'],
  sandbox: ['spec', 'api', 'webhooks', 'support', 'errors'],
  tasks: ['spec', 'api', 'webhooks', 'support', 'errors'],
  cli: ['spec', 'api', 'webhooks', 'http', 'output', 'config', 'support', 'errors'],
  library: ['cli', 'sandbox'],
  'cached-loader': ['support'],
  start: ['cached-loader'],
  'start-library': ['cached-loader', 'library'],
  main: ['cli', 'errors', 'support'],
};

/** The packages that each room owns. */
const packages: Readonly<Record<string, readonly string[]>> = {
  support: ['lossless-json'],
  spec: ['zod/mini'],
  http: ['undici'],
  output: ['chalk', 'cli-table3', 'csv-stringify', 'markdown-it', 'string-width', 'yaml'],
  config: ['conf'],
  cli: [
    '@inquirer/search',
    'commander',
    'cross-spawn',
    'isomorphic-git',
    'ora',
    'jq-wasm',
    '@modelcontextprotocol/sdk',
  ],
  tasks: ['yaml', 'dotenv', 're2js', 'csv-parse'],
  sandbox: ['diff', 'fflate', 'isomorphic-git', 'markdown-it', 're2js'],
};

const files = [...sources.keys()].filter((name) => !name.endsWith('.d.ts'));

const roomOf = (path: string): string => path.split('/')[0]?.replace(/\.ts$/, '') as string;

interface Import {
  readonly file: string;
  readonly from: string;
  readonly dynamic: boolean;
  readonly typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const text = sources.get(file) ?? '';
  const still = [
    ...text.matchAll(/^(?:import|export)\s+(type\s)?[^'"]*?from '([^']+)';|^import '([^']+)';/gm),
  ];
  const lazy = [...text.matchAll(/\bimport\(\s*'([^']+)'\s*\)/g)];
  return [
    ...still.map(([, type, from, bare]) => ({
      file,
      from: (from ?? bare) as string,
      dynamic: false,
      typeOnly: type !== undefined,
    })),
    ...lazy.map(([, from]) => ({ file, from: from as string, dynamic: true, typeOnly: false })),
  ];
}

const all = files.flatMap(importsOf);
const inside = all.filter(({ from }) => from.startsWith('.'));
const target = ({ file, from }: Import): string => join(dirname(file), from);

describe('imports', () => {
  test('every file belongs to a known room', () => {
    expect(files.map(roomOf).filter((room) => !(room in rooms))).toEqual([]);
    expect(files.length).toBeGreaterThan(80);
  });

  test('a room imports only allowed rooms', () => {
    const wrong = inside.filter((one) => {
      const [from, to] = [roomOf(one.file), roomOf(target(one))];
      if (from === to || rooms[from]?.includes(to)) return false;
      // Commands load these rooms when needed. Types are free, and tasks/index.ts contains only dynamic imports.
      const lazily = from === 'cli' && ['docs', 'sandbox', 'tasks'].includes(to);
      return !(lazily && (one.dynamic || one.typeOnly || target(one) === 'tasks/index.ts'));
    });
    expect(wrong.map(({ file, from }) => `${file} imports ${from}`)).toEqual([]);
  });

  test('a running sandbox has loaded every module that it imports later', () => {
    const lazy = all.filter(
      ({ file, from, dynamic }) => dynamic && file.startsWith('sandbox/') && !from.startsWith('node:'),
    );
    const moduleOf = (one: Import) => (one.from.startsWith('.') ? target(one) : one.from);
    const preloaded = lazy.filter(({ file }) => file === 'sandbox/index.ts').map(moduleOf);
    expect(lazy.map(moduleOf).filter((module) => !preloaded.includes(module))).toEqual([]);
  });

  test('a package is imported only by the room that owns it', () => {
    const outside = all.filter(({ from }) => !from.startsWith('.') && !from.startsWith('node:'));
    const wrong = outside.filter(
      ({ file, from }) =>
        !packages[roomOf(file)]?.some((name) => from === name || from.startsWith(`${name}/`)),
    );
    expect(wrong.map(({ file, from }) => `${file} imports ${from}`)).toEqual([]);
  });

  test('area files import only the vocabulary', () => {
    const known = inside.filter(({ file }) => file.startsWith('api/')).map(target);
    expect(known.filter((path) => !/^(spec|api|support)\//.test(path))).toEqual([]);
  });

  test('only the entry points use process.argv, process.env, its streams and its exit', () => {
    const use = /\bprocess\.(argv|env|stdin|stdout|stderr|exit|exitCode|on|once|cwd)\b/;
    const touching = files.filter((file) => use.test(withoutComments(sources.get(file) ?? '')));
    const entries = ['cached-loader.ts', 'library.ts', 'main.ts', 'start-library.ts', 'start.ts'];
    expect(touching.sort()).toEqual(entries);
  });

  test('tasks use files only through support', () => {
    const users = all.filter(({ file, from }) => file.startsWith('tasks/') && from.startsWith('node:fs'));
    expect(users.map(({ file }) => file)).toEqual([]);
  });

  test('no files import one another in a circle, type-only and dynamic imports included', () => {
    const targets = new Map(files.map((file) => [file, new Set<string>()]));
    for (const one of inside) targets.get(one.file)?.add(target(one));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      if (path.includes(file) || done.has(file)) return;
      for (const next of targets.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(circles).toEqual([]);
  });

  test('no folder but the lists of areas holds more than 20 files', () => {
    const counts = new Map<string, number>();
    for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    const full = [...counts].filter(([folder, count]) => count > 20 && folder !== 'api');
    expect(full).toEqual([]);
  });
});
