/** Every example of the catalogue runs as it is written, against a fresh sandbox. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { areas } from '../src/api/index.ts';
import { loadArea } from '../src/cli/area.ts';
import type { Endpoint, Example } from '../src/spec/endpoint.ts';
import { openWorld, type World } from './support/sandbox.ts';
import { words } from './support/svc.ts';

/** A red pixel, as W3C PNG sections 5 and 11 have it. */
function png(): Buffer {
  const crcOf = (bytes: Buffer): number => {
    let crc = 0xffffffff;
    for (const byte of bytes) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    return (crc ^ 0xffffffff) >>> 0;
  };
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value >>> 0);
    return bytes;
  };
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data]);
    return Buffer.concat([number(data.length), named, number(crcOf(named))]);
  };
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', Buffer.concat([number(1), number(1), Buffer.from([8, 2, 0, 0, 0])])),
    chunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The files that examples name. */
const files: Readonly<Record<string, string | Buffer>> = {
  'README.md': '# Rocket\n\nUp and away.\n',
  'notes.txt': 'remember-the-fuel\n',
  'logo.png': png(),
  'page.md': '# Landing\n\nGently.\n',
  'files.json': JSON.stringify([
    { file_path: 'main.py', content: 'print("up")\n' },
    { file_path: 'lib/util.py', content: 'def up(): pass\n' },
  ]),
  'main.py': 'print("orbit")\n',
  'license.txt': 'eyJkYXRhIjoiYSBsaWNlbnNlIGZvciB0aGUgc2FuZGJveCJ9\n',
};

interface Case {
  readonly endpoint: Endpoint;
  readonly example: Example;
}

const catalogue = await Promise.all(
  areas.map(async (entry) => ({
    name: entry.name,
    cases: (await loadArea(entry)).endpoints.flatMap((endpoint) =>
      endpoint.examples.map((example): Case => ({ endpoint, example })),
    ),
  })),
);

const reads = ({ method }: Endpoint): boolean => method === 'GET' || method === 'HEAD';

/** Where an answer is promised on standard output. */
function answers({ endpoint, example }: Case): boolean {
  const argv = words(example.run);
  if (argv.includes('--dry-run')) return true;
  if (argv.includes('--output-file')) return false;
  return endpoint.returns.kind !== 'nothing';
}

let shared: World;
let folder: string;
beforeAll(async () => {
  shared = await openWorld();
  folder = await mkdtemp(join(tmpdir(), 'svc-examples-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(catalogue)('$name', ({ cases }) => {
  test.each(cases.map((one) => [one.example.run, one] as const))('svc %s', async (line, one) => {
    for (const name of await readdir(folder)) await rm(join(folder, name));
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    const world = reads(one.endpoint) ? shared : await openWorld();
    const ran = await world.run(words(line), { cwd: folder });
    expect(ran.err).not.toMatch(/^svc: (?!warning: |.*(--all gives the rest|: done$|written to))/m);
    expect(ran.code).toBe(0);
    if (answers(one)) expect(ran.out).not.toBe('');
    const at = words(line).indexOf('--output-file');
    if (at >= 0) {
      const written = words(line)[at + 1] as string;
      const before = Object.keys(files).filter((name) => name !== written);
      expect(await readdir(folder)).toEqual([...before, written].sort());
    }
  });
});

test('every call has an example, and so has what is added to the catalogue', () => {
  const bare = catalogue.flatMap(({ name, cases }) => (cases.length === 0 ? [name] : []));
  expect(bare).toEqual([]);
  const runs = catalogue.flatMap(({ cases }) => cases.map(({ example }) => example.run));
  expect(runs.filter((run) => run.startsWith('variables set '))).not.toEqual([]);
});
