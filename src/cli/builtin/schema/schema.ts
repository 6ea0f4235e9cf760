/** `svc schema`: commands and the API in a form for programs (machine.md). */

import { usage } from '../../../errors.ts';
import { ownCommand } from '../../../spec/command.ts';
import { text } from '../../../spec/field.ts';
import type { Context } from '../../context.ts';
import { exitCodes, exitMeanings } from '../../exit-codes.ts';
import { version } from '../../version.ts';
import { type Builtin, command, type Services } from '../define.ts';

function write({ stdout }: Context, value: unknown): void {
  stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
}

/** `--openapi`: the API itself, not the commands. */
async function printOpenApi(words: readonly string[], context: Context): Promise<void> {
  if (words.length > 0) throw usage('--openapi describes the whole API', 'use it without an area');
  const [{ areas }, { openApi }] = await Promise.all([
    import('../../../api/index.ts'),
    import('../../../docs/schema/openapi.ts'),
  ]);
  const loaded = areas.map(async ({ name, summary, load }) => {
    const { endpoints } = (await load()).default;
    return { name, summary, endpoints };
  });
  write(context, openApi(await Promise.all(loaded)));
}

async function run([area, word]: readonly string[], context: Context, services: Services): Promise<void> {
  const { entries, group: load, find } = await services.lookUp();
  const { commandSchema, indexOf } = await import('../../../docs/schema/command.ts');
  if (area === undefined) {
    const groups = await Promise.all(entries.map(({ name }) => load(name)));
    return write(context, { svc: version, commands: indexOf(groups.filter((one) => one !== undefined)) });
  }
  const { group, command: found } = await find({ area, command: word });
  if (!found) return write(context, { svc: version, commands: indexOf([group]) });
  if (word !== undefined && found === ownCommand(group)) throw usage(`svc ${area} has no subcommands`);
  const { withInput } = await import('./example-input.ts');
  const program = { exitCodes, exitMeanings };
  write(context, { svc: version, ...commandSchema(found, await withInput(found), program) });
}

const schema = command({
  name: 'schema',
  args: '[area] [command]',
  of: { area: text('Area', { suggest: 'command' }) },
  summary: 'Print the commands and the API as JSON, for programs',
  doc: 'Without arguments: every command with its summary and effect (read, write or destructive). With a command: JSON Schema of its input and of a row of its output, its requests, examples and exit codes. The properties of the input have the names of the API.',
  flags: { openapi: { doc: 'Print OpenAPI 3.1 of the whole API' } },
  examples: [
    { does: 'List all commands', run: 'schema' },
    { does: 'Describe one command', run: 'schema variables create' },
    { does: 'Print the OpenAPI document of the API', run: 'schema --openapi' },
  ],
  async run({ words, options }, context, services) {
    if (options.openapi) await printOpenApi(words, context);
    else await run(words, context, services);
    return 0;
  },
});

export default { commands: [schema] } satisfies Builtin;
