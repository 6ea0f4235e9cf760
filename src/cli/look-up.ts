/** Turn the words of a command line into a command: of an endpoint, a task or the program itself. */
import { areas } from '../api/index.ts';
import { commandNamed, ownCommand } from '../spec/command.ts';
import { findArea, loadArea } from './areas.ts';
import type { LookUp } from './builtin/define.ts';
import { builtins, loadBuiltin } from './builtin/index.ts';

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
    if (!group) throw await (await unknown()).unknownName(area, word);
    const command = (word === undefined ? undefined : commandNamed(group, word)) ?? ownCommand(group);
    if (word !== undefined && !command) throw await (await unknown()).unknownCommand(group, word);
    return command ? { group, command } : { group };
  },
};
