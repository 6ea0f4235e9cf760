/** Flags, examples and commands as blocks of a manual page. */
import { type Command, pathOf } from '../../spec/command.ts';
import type { Example } from '../../spec/endpoint.ts';
import { apiFlags, type Flag, programFlag, shown } from '../flags.ts';
import { deprecation } from '../help.ts';
import { hanging, shellLines } from '../layout.ts';
import { argumentWord, scopeNote, usageLines } from '../model.ts';
import { accessFacts, confirmWords, noted, notesOf, requestOf } from '../words.ts';
import type { Block } from './roff.ts';

/** One flag: a term and its description. */
export function flagBlock(flag: Flag): Block {
  const words = noted(flag.doc, flag.notes);
  return { term: shown(flag), text: `${words}.`, ...(flag.keys.length > 0 ? { below: flag.keys } : {}) };
}

/** Examples: what each does, then its command line. */
function exampleBlocks(examples: readonly Example[]): Block[] {
  return examples.flatMap(({ does, run }) => [
    { text: `${does}:` },
    { lines: shellLines(`svc ${run}`, 74, 0) },
  ]);
}

/** One command: usage, description, arguments, flags, requests and examples. Shared flags of API commands are in svc(1). */
export function commandBlocks(command: Command): Block[] {
  const { endpoints } = command;
  const isBuiltin = endpoints.length === 0;
  const flags = isBuiltin ? command.flags.map(programFlag) : apiFlags(command);
  const args = isBuiltin ? [] : command.arguments;
  return [
    { title: isBuiltin ? `svc ${pathOf(command)}` : command.name },
    { lines: usageLines(command).flatMap((line) => hanging(line, 72, 4)) },
    { text: `${command.summary}.` },
    ...command.deprecated.map((text) => ({ text: deprecation(text) })),
    ...command.docs.map((text) => ({ text })),
    ...confirmWords(endpoints).map((text) => ({ text })),
    ...args.map((argument) => {
      const { field, of } = argument;
      const notes = notesOf(field, of).filter((note) => note !== 'required');
      return { term: argumentWord(argument), text: noted(of.doc, notes) };
    }),
    ...flags.map(flagBlock),
    ...endpoints.map((endpoint) => ({
      term: requestOf(endpoint) + scopeNote(endpoint, endpoints),
      text: accessFacts(endpoint.access),
    })),
    ...exampleBlocks(command.examples),
  ];
}
