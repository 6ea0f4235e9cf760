/** Find a command that another command runs. */
import { usage } from '../errors.ts';
import { pathOf } from '../spec/command.ts';
import { knownFields } from '../spec/mask.ts';
import { resolveName } from '../spec/names.ts';
import type { TaskCommand } from '../tasks/context.ts';
import { commandIn, describeArea, loadArea } from './areas.ts';
import { listOwnFlags, sharedFlags } from './argv/flags.ts';
import { splitArgv } from './argv/split.ts';
import type { Found } from './builtin/define.ts';
import { builtins } from './builtin/index.ts';
import { refused } from './each/refused.ts';
import { findArea } from './find-area.ts';
import { describeTask } from './tasks.ts';
import { unknownCommand, unknownName } from './unknown.ts';

/** @throws Failure `usage` for a command that does not exist, or that cannot run for several targets */
export async function findSubcommand(words: readonly string[]): Promise<Found> {
  const argv = splitArgv(words);
  const { area: name = '', command: word } = argv;
  if (name === '')
    throw usage('no command given', 'put it after --: svc each --projects projects.txt -- approvals get');
  const builtin = builtins.find((entry) => entry.name === name && !entry.hidden);
  if (builtin) {
    if (refused[name] !== undefined) throw notRunnable(name, refused[name]);
    const [only] = (await builtin.load()).default.commands;
    if (only?.task) return ofTask(name, only.task);
    if (!only?.inEach) throw new Error(`svc each does not know how to run ${name}`);
    const command = only.describe(name);
    // svc each itself asks for confirmation.
    const flags = [...command.flags, ...listOwnFlags(sharedFlags('yes'))];
    return {
      command: { ...command, flags },
      task: undefined,
      own: undefined,
      inEach: only.inEach,
      secrets: {},
    };
  }
  const entry = findArea(name);
  if (!entry) throw await unknownName(name, word);
  if (word === undefined) throw usage(`svc ${name}: the command is missing`, `see svc ${name} --help`);
  const area = await loadArea(entry);
  const taskName = resolveName(
    word,
    area.commands.map((task) => task.name),
  );
  const task = area.commands.find((one) => one.name === taskName);
  if (task) return ofTask(entry.name, task);
  const command = commandIn(area, word);
  if (command)
    return {
      command,
      task: area.runners[command.name],
      own: undefined,
      secrets: knownFields(command.endpoints),
    };
  throw await unknownCommand(
    entry.name,
    describeArea(area).commands.map((one) => one.name),
    word,
  );
}

async function ofTask(area: string, own: TaskCommand): Promise<Found> {
  const command = describeTask(area, own);
  const path = pathOf(command);
  if (refused[path] !== undefined) throw notRunnable(path, refused[path]);
  return { command, task: own.run, own, secrets: (await own.secrets?.()) ?? {} };
}

function notRunnable(path: string, reason: string) {
  return usage(`svc each cannot run ${JSON.stringify(path)}: ${reason}`);
}
