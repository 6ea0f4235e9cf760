/** Flags, examples and commands of the program as blocks of a manual page. */
import type { Example } from '../../spec/endpoint.ts';
import { type Flag, globalFlag, shown } from '../flags.ts';
import { shellLines } from '../layout.ts';
import { type Builtin, type BuiltinCommand, builtinTitle, builtinUsage } from '../model.ts';
import { noted } from '../words.ts';
import type { Block } from './roff.ts';

/** One flag, as a term and its words. */
export function flagBlock(flag: Flag): Block {
  const words = noted(flag.doc, flag.notes);
  return { term: shown(flag), text: `${words}.`, ...(flag.keys.length > 0 ? { below: flag.keys } : {}) };
}

/** Examples: what each does, then its command line. */
export function exampleBlocks(examples: readonly Example[]): Block[] {
  return examples.flatMap(({ does, run }) => [
    { text: `${does}:` },
    { lines: shellLines(`svc ${run}`, 74, 0) },
  ]);
}

/** One command of the program: its usage, words, flags and examples. */
export function builtinCommandBlocks(builtin: Builtin, command: BuiltinCommand): Block[] {
  return [
    { title: builtinTitle(builtin, command) },
    { lines: [builtinUsage(builtin, command)] },
    { text: `${command.summary}.` },
    ...(command.doc ? [{ text: command.doc }] : []),
    ...command.flags.map(globalFlag).map(flagBlock),
    ...exampleBlocks(command.examples),
  ];
}
