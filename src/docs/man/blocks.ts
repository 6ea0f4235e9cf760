/** Blocks of a manual page for flags, examples and commands. */
import { type Command, pathOf } from '../../spec/command.ts';
import type { Example } from '../../spec/endpoint.ts';
import { accessFacts, argumentText, confirmationNotes, requestOf } from '../descriptions.ts';
import { apiFlags, programFlag } from '../flags.ts';
import { deprecation } from '../help.ts';
import { hanging, shellLines } from '../layout.ts';
import { argumentTerm, scopeNote, usageLines } from '../model.ts';
import type { Block } from '../page.ts';
import { flagBlock } from '../topics.ts';

function exampleBlocks(examples: readonly Example[]): Block[] {
  return examples.flatMap(({ does, run }) => [
    { text: `${does}:` },
    { lines: shellLines(`svc ${run}`, 74, 0) },
  ]);
}

/** Return the blocks of one command. The common flags of API commands are only in svc(1). */
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
    ...confirmationNotes(endpoints).map((text) => ({ text })),
    ...args.map((argument) => ({
      term: argumentTerm(argument),
      text: argumentText(argument),
    })),
    ...flags.map(flagBlock),
    ...endpoints.map((endpoint) => ({
      term: requestOf(endpoint) + scopeNote(endpoint, endpoints),
      text: accessFacts(endpoint.access),
    })),
    ...exampleBlocks(command.examples),
  ];
}
