import { areas } from '../api/index.ts';
import type { Style } from '../docs/layout.ts';
import { ownCommand } from '../spec/command.ts';
import type { HelpRequest } from './builtin/define.ts';
import { builtins } from './builtin/index.ts';
import { loadResources, lookUp, programFacts } from './catalogue.ts';
import type { Context } from './context.ts';
import type { ExitCode } from './exit-codes.ts';
import { createTerminal } from './terminal/terminal.ts';

export async function printHelp(request: HelpRequest, context: Context): Promise<ExitCode> {
  const { color, screen } = createTerminal({}, context);
  const style = { width: screen?.width ?? 80, color };
  const [area, command] = request.words;
  const topic = request.topics && command === undefined ? await topicText(area, style) : undefined;
  context.stdout.write(topic ?? (await page(area, command, style, request)));
  return 0;
}

async function topicText(name: string | undefined, style: Style): Promise<string | undefined> {
  const { topicPage, topics } = await import('../docs/topics.ts');
  const topic = topics.find((one) => one.name === name);
  if (!topic) return undefined;
  const { topicHelp } = await import('../docs/topic.ts');
  const sandbox = [{ text: '`svc sandbox --help` lists the commands that start, stop and control it.' }];
  const resources = name === 'resources' ? await loadResources() : [];
  return topicHelp(topicPage(topic, { ...programFacts(), resources, sandbox }), style);
}

async function page(area: string | undefined, word: string | undefined, style: Style, request: HelpRequest) {
  const { commandHelp, groupHelp, rootHelp } = await import('../docs/help.ts');
  if (area === undefined) return rootHelp(areas, builtins, style, request);
  const { group, command } = await lookUp.find({ area, command: word });
  const program = programFacts();
  // A second word may be an argument of the command that has the name of the group.
  return !command || command === ownCommand(group)
    ? groupHelp(group, style, program, request)
    : commandHelp(command, style, program, request);
}
