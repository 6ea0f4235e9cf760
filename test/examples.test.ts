/**
 * Every example of the commands of the areas runs unchanged, against a new sandbox at a fixed time. `docs/examples.json` holds what it prints,
 * for the reference. To update it, run `npm run examples`, and read the difference.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { areas } from '../src/api/index.ts';
import { findArea, loadArea } from '../src/cli/areas.ts';
import type { Command } from '../src/spec/command.ts';
import { folderWith } from './support/folders.ts';
import { exampleFiles, fastClock, openWorld, type World } from './support/sandbox.ts';
import { type Ran, words } from './support/svc.ts';

const file = fileURLToPath(new URL('../docs/examples.json', import.meta.url));
/** The lines of an output that the reference shows. */
const shown = 12;
/** The characters of a line that the reference shows. */
const width = 160;
const time = Date.parse('2026-05-20T10:00:00Z');
/** These wait for an export, which takes time. */
const waiting = /^dependency-exports (find|diff) /;

/** These wait for a receiver, or run an editor or another program. Other tests run them. */
const elsewhere =
  /^(hooks (listen|forward|trigger|replay \S+ --group acme --status)|files edit|variables exec) /;

const catalogue = await Promise.all(
  areas.map(async ({ name }) => {
    const { commands } = await loadArea(findArea(name) as never);
    return {
      name,
      cases: commands.flatMap((command) =>
        command.examples.filter(({ run }) => !elsewhere.test(run)).map(({ run }) => ({ command, run })),
      ),
    };
  }),
);

const outputFlag = /^(-o|--output|--json|--csv|--fields|--jq)(=|$)/;

const reads = ({ endpoints, declaration }: Command & { declaration?: unknown }): boolean =>
  !declaration && endpoints.every(({ method }) => method === 'GET' || method === 'HEAD');

/** Whether the interface promises data on standard output: not for a write without an output flag. */
function printsData(command: Command, run: string): boolean {
  const argv = words(run);
  if (argv.includes('--dry-run')) return true;
  const { endpoints } = command;
  if (argv.includes('--output-file') || endpoints.every(({ returns }) => returns.kind === 'nothing'))
    return false;
  return (
    reads(command) ||
    endpoints.some(({ generates }) => generates === true) ||
    argv.some((word) => outputFlag.test(word))
  );
}

/** A random identifier. */
const random = /\b[0-9a-f]{32}\b/g;
const identifier = '0d5c1b7e9a3f4826b1d07c95e82f6a34';

/** Standard output and then standard error, as far as the reference shows them. */
function outputOf({ out, err }: Ran, folder: string): string {
  const text = stripVTControlCharacters(`${out}${err}`)
    .replaceAll('\r', '')
    .replace(random, identifier)
    .replaceAll(`${folder}/`, '')
    .trimEnd();
  const lines = text.split('\n').map((line) => (line.length > width ? `${line.slice(0, width)}…` : line));
  return [...lines.slice(0, shown), ...(lines.length > shown ? ['…'] : [])].join('\n');
}

const recorded: Record<string, string> = {};
let expected: Readonly<Record<string, string>> = {};
let shared: World;
beforeAll(async () => {
  const now = () => time;
  shared = await openWorld({ now });
  expected = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
});
afterAll(async () => {
  if (process.env['UPDATE_EXAMPLES']) await writeFile(file, `${JSON.stringify(recorded, null, 1)}\n`);
});

describe.each(catalogue)('$name', ({ cases }) => {
  test.each(cases.map((one) => [one.run, one.command] as const))('svc %s', async (run, command) => {
    const folder = await folderWith(exampleFiles);
    const now = waiting.test(run) ? fastClock(time) : () => time;
    const world = reads(command) ? shared : await openWorld({ now });
    const ran = await world.run(words(run), { cwd: folder, now, env: { HOME: folder } });
    expect(ran.err).not.toMatch(/^(error|hint): |retrying in|did you mean/m);
    expect([0, 9, 10, 11], ran.err).toContain(ran.code);
    if (!('declaration' in command)) expect(ran.out !== '').toBe(printsData(command, run));
    const at = words(run).indexOf('--output-file');
    if (at >= 0) {
      const written = words(run)[at + 1] as string;
      const before = Object.keys(exampleFiles).filter((name) => name !== written);
      expect(await readdir(folder)).toEqual([...before, written].sort());
    }
    const output = outputOf(ran, folder);
    recorded[run] = output;
    if (!process.env['UPDATE_EXAMPLES']) expect(output, 'npm run examples writes it').toBe(expected[run]);
  });
});

test('every command has an example', () => {
  const bare = catalogue.flatMap(({ name, cases }) => (cases.length === 0 ? [name] : []));
  expect(bare).toEqual([]);
  expect(Object.keys(expected).length).toBeGreaterThan(200);
});
