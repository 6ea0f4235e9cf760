/** Look up the commands that words on a command line name. */
import { areas } from '../api/index.ts';
import type { CommandGroup } from '../spec/command.ts';
import { describeArea, loadArea } from './areas.ts';
import type { LookUp } from './builtin/define.ts';
import { builtins, describeBuiltin } from './builtin/index.ts';
import { findArea } from './find-area.ts';

async function loadGroup(word: string): Promise<CommandGroup | undefined> {
  const builtin = builtins.find(({ name, hidden }) => name === word && !hidden);
  if (builtin) return describeBuiltin(builtin);
  const entry = findArea(word);
  return entry && describeArea(await loadArea(entry));
}

export const lookUp: LookUp = {
  entries: [...areas, ...builtins.filter(({ hidden }) => !hidden)],
  group: loadGroup,
};
