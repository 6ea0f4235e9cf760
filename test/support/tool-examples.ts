/** The examples of the catalogue as calls of tools. */
import { areas } from '../../src/api/index.ts';
import { type Tool, toolsOf } from '../../src/cli/builtin/mcp/tools.ts';
import { withInput } from '../../src/cli/builtin/schema.ts';
import { loadCatalogue, lookUp } from '../../src/cli/catalogue.ts';
import { type Command, effectOf, pathOf } from '../../src/spec/command.ts';

export interface ToolExample {
  readonly name: string;
  readonly tool: Tool;
  readonly effect: ReturnType<typeof effectOf>;
  /** The command line, without `svc`. */
  readonly run: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Whether an example names a file in place of its content. */
const isFile = (value: unknown) => typeof value === 'string' && /^@|^-$/.test(value);

/** The first example of each tool that needs no file. */
export async function toolExamples(): Promise<ToolExample[]> {
  const tools = await toolsOf(areas, true, lookUp);
  const catalogue = await loadCatalogue();
  const ofSeveralAreas = catalogue.builtins.filter(({ name }) => name === 'find' || name === 'status');
  const commands = [...catalogue.areas, ...ofSeveralAreas].flatMap((group) => group.commands);
  const found = tools.map(async (tool): Promise<ToolExample[]> => {
    const { command, definition } = tool;
    const { properties, required = [] } = definition.inputSchema;
    const source = commands.find((one) => pathOf(one) === pathOf(command)) as Command;
    const all = (await withInput(source)).map(({ run, input }) => ({
      run: run.replace(/ --output-file \S+/, ''),
      input: Object.fromEntries(
        Object.entries(input).filter(([name, value]) => name in properties && !isFile(value)),
      ),
    }));
    const example = all.find(({ input }) => required.every((name) => name === 'confirm' || name in input));
    const { name } = definition;
    return example ? [{ name, tool, effect: effectOf(command), ...example }] : [];
  });
  return (await Promise.all(found)).flat();
}
