/** Every example of the catalogue runs unchanged, against a fresh sandbox. */

import { readdir } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { areas } from '../src/api/index.ts';
import type { Endpoint, Example } from '../src/spec/endpoint.ts';
import { endpointsOf } from './support/endpoints.ts';
import { folderWith } from './support/folders.ts';
import { exampleFiles, openWorld, type World } from './support/sandbox.ts';
import { words } from './support/svc.ts';

interface Case {
  readonly endpoint: Endpoint;
  readonly example: Example;
}

const catalogue = await Promise.all(
  areas.map(async (entry) => ({
    name: entry.name,
    cases: (await endpointsOf(entry)).flatMap((endpoint) =>
      endpoint.examples.map((example): Case => ({ endpoint, example })),
    ),
  })),
);

const reads = ({ method }: Endpoint): boolean => method === 'GET' || method === 'HEAD';

const outputFlag = /^(-o|--output|--json|--csv|--fields|--jq)(=|$)/;

/** Whether the interface promises data on standard output: not for a write without an output flag. */
function printsData({ endpoint, example }: Case): boolean {
  const argv = words(example.run);
  if (argv.includes('--dry-run')) return true;
  if (argv.includes('--output-file') || endpoint.returns.kind === 'nothing') return false;
  return reads(endpoint) || endpoint.generates === true || argv.some((word) => outputFlag.test(word));
}

let shared: World;
beforeAll(async () => {
  shared = await openWorld();
});

describe.each(catalogue)('$name', ({ cases }) => {
  test.each(cases.map((one) => [one.example.run, one] as const))('svc %s', async (line, one) => {
    const folder = await folderWith(exampleFiles);
    const world = reads(one.endpoint) ? shared : await openWorld();
    const ran = await world.run(words(line), { cwd: folder });
    expect(ran.err).not.toMatch(/^(error|hint): |retrying in|did you mean/m);
    expect(ran.code).toBe(0);
    expect(ran.out !== '').toBe(printsData(one));
    const at = words(line).indexOf('--output-file');
    if (at >= 0) {
      const written = words(line)[at + 1] as string;
      const before = Object.keys(exampleFiles).filter((name) => name !== written);
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
