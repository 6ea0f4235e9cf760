/** argv to exit code. */

import { areas, type Entry } from '../api/index.ts';
import { Failure } from '../errors.ts';
import { commandName } from '../spec/arguments.ts';
import type { Area } from '../spec/endpoint.ts';
import { builtins } from './builtin/index.ts';
import type { Context } from './context.ts';
import { type ExitCode, report } from './exits.ts';
import type { Leaf } from './leaf.ts';
import { version } from './version.ts';
import { sortWords, type Words, wantsHelp, wantsJson } from './words.ts';

/**
 * Run one command line.
 * @param argv the words after `svc`
 * @returns the exit code (interface section 5); errors were told on `context.stderr`
 */
export async function run(argv: readonly string[], context: Context): Promise<ExitCode> {
  try {
    return await dispatch(argv, context);
  } catch (error) {
    if (isGone(error)) return 0;
    const clean = (text: string) => text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, ' ');
    const cause =
      context.signal.aborted && context.signal.reason instanceof Failure ? context.signal.reason : error;
    return report(cause, context.stderr, { json: wantsJson(argv), clean });
  }
}

/** The reader went away (`| head`): no error, no noise. */
function isGone(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPIPE';
}

async function dispatch(argv: readonly string[], context: Context): Promise<ExitCode> {
  if (argv[0] === '--version' || argv[0] === '-V') {
    context.stdout.write(`svc ${version}\n`);
    return 0;
  }
  const words = sortWords(argv);
  const builtin = builtins.find(({ name }) => name === words.area);
  if (builtin) return (await builtin.load()).default.run(words, context);
  const entry = findArea(words.area);
  if (
    wantsHelp(argv) ||
    words.area === undefined ||
    words.area === 'help' ||
    (entry && words.command === undefined)
  ) {
    return (await import('./builtin/help.ts')).printHelp(words, context);
  }
  if (!entry) throw await unknownArea(words);
  return runLeaf(entry, words, context);
}

/** An area by its name or another name that it goes by. */
export function findArea(name: string | undefined): Entry | undefined {
  return areas.find((entry) => entry.name === name || entry.aliases?.includes(name ?? ''));
}

async function unknownArea(words: Words): Promise<Failure> {
  const { unknownWord } = await import('./parse.ts');
  const known = [...areas, ...builtins].filter((one) => !('hidden' in one)).map(({ name }) => name);
  return unknownWord('command', words.area ?? words.rest[0] ?? '', known, 'svc');
}

/** The calls of an area by command name, those that are no single call among them. */
export async function loadArea(entry: Entry): Promise<Area> {
  const { default: area } = await entry.load();
  const { additions } = await import('./additions.ts');
  const more = additions[entry.name];
  return more ? { ...area, endpoints: (await more()).weave(area.endpoints) } : area;
}

export function leafOf(entry: Entry, area: Area, name: string): Leaf | undefined {
  const endpoints = area.endpoints.filter((endpoint) => commandName(endpoint) === name);
  return endpoints.length > 0 ? { area: entry.name, name, endpoints } : undefined;
}

async function runLeaf(entry: Entry, words: Words, context: Context): Promise<ExitCode> {
  const area = await loadArea(entry);
  const name = words.command as string;
  const leaf = leafOf(entry, area, name);
  const { parseLeaf, unknownWord } = await import('./parse.ts');
  if (!leaf)
    throw unknownWord('command', name, [...new Set(area.endpoints.map(commandName))], `svc ${entry.name}`);
  const line = parseLeaf(leaf, words.rest);
  const { additions } = await import('./additions.ts');
  const special = (await additions[entry.name]?.())?.runners[name];
  const { invoke } = await import('./invoke.ts');
  return special ? special(leaf, line, context) : invoke(leaf, line, context);
}
