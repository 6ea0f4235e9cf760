/** The commands of the API and of the program: found by the words of a command line, or all at once for the documentation. */
import { areas } from '../api/index.ts';
import * as scopes from '../api/scopes.ts';
import { settingDocs } from '../config/setting-table.ts';
import type { Catalogue, Program } from '../docs/model.ts';
import { type Command, commandNamed, declaredCommand, ownCommand } from '../spec/command.ts';
import type { Resource } from '../spec/resource.ts';
import { findArea, loadArea } from './areas.ts';
import { listFlags, programFlags } from './argv/flags.ts';
import type { LookUp } from './builtin/define.ts';
import { builtins, loadBuiltin } from './builtin/index.ts';
import { exitMeanings } from './exit-codes.ts';

export const lookUp: LookUp = {
  entries: [...areas, ...builtins],
  async group(word) {
    const builtin = builtins.find(({ name }) => name === word);
    if (builtin) return loadBuiltin(builtin);
    const entry = findArea(word);
    return entry && loadArea(entry);
  },
  async find({ area, command: word }) {
    const group = await lookUp.group(area);
    const unknown = () => import('./unknown.ts');
    if (!group) throw await (await unknown()).unknownName(area, word, lookUp);
    const command = (word === undefined ? undefined : commandNamed(group, word)) ?? ownCommand(group);
    if (word !== undefined && !command) throw (await unknown()).unknownCommand(group, word);
    return command ? { group, command } : { group };
  },
};

/** The flags that may precede a command, in place of a command that is not given. */
export function withoutCommand(area = ''): Command {
  const declared = { name: area, summary: '' };
  const flags = () => listFlags(programFlags);
  const command = declaredCommand(area, declared, { flags, examples: () => [] });
  return Object.assign(command, { scopes: [scopes.project, scopes.group] });
}

export const programFacts = (): Program => ({
  exitMeanings,
  settings: settingDocs(),
  programFlags: listFlags(programFlags),
});

export async function loadCatalogue() {
  return {
    ...programFacts(),
    areas: await Promise.all(areas.map(loadArea)),
    builtins: await Promise.all(builtins.map(loadBuiltin)),
    resources: await loadResources(),
  } satisfies Catalogue;
}

export async function loadResources(): Promise<Resource[]> {
  const { resources } = await import('../api/resources.ts');
  return Promise.all(Object.values(resources).map((load) => load()));
}
