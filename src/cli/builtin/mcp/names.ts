/**
 * Help and messages name flags, arguments and commands. For an agent, these are parameters and tools.
 */
import { argumentsOf, type Command, flagOf, scopesOf } from '../../../spec/command.ts';
import { kebab, propertyOf } from '../../../spec/names.ts';
import { connection } from '../define.ts';

export interface Names {
  inText(text: string): string;
  /** Translate the descriptions of a schema. */
  inSchema<S>(schema: S): S;
}

/**
 * The names that the texts of a command contain.
 * @param tools the names of tools by the paths of their commands: `jobs_list` for `jobs list`
 */
export function namesOf(command: Command, tools: ReadonlyMap<string, string>): Names {
  // Flags of the connection are those of the server.
  const flags = new Map(Object.keys(connection).map((name) => [name, `svc mcp --${name}`]));
  for (const name of Object.keys(command.fields)) flags.set(kebab(name), name);
  for (const endpoint of command.endpoints)
    for (const name of Object.keys(endpoint.takes)) flags.set(flagOf(endpoint, name), name);
  // The flags of a task are its parameters.
  if (command.endpoints.length === 0) for (const { name } of command.flags) flags.set(name, propertyOf(name));
  for (const { name } of scopesOf(command)) flags.set(name, name);
  const args = new Map(
    [...command.arguments, ...command.endpoints.flatMap(argumentsOf)].map(({ name, field }) => [name, field]),
  );
  const inArguments = (text: string): string =>
    text.replace(/<([a-z-]+)>/g, (word, name: string) => args.get(name) ?? word);
  const inText = (text: string): string =>
    inArguments(
      text
        .replace(
          /(`|\bsvc )([a-z-]+ [a-z-]+)( <[a-z-]+>)?/g,
          (word, before: string, path: string, argument = '') => {
            const tool = tools.get(path);
            if (tool === undefined) return word;
            return `${before === '`' ? before : ''}${tool}${argument.replace(' ', ' with ')}`;
          },
        )
        // The placeholder of its value is for a command line.
        .replace(/--([a-z][a-z0-9-]*)( <[^<>]*>)?/g, (word, flag: string) => flags.get(flag) ?? word),
    );
  const inDescription = (key: string, value: unknown) =>
    key === 'description' && typeof value === 'string' ? inText(value) : value;
  return { inText, inSchema: (schema) => JSON.parse(JSON.stringify(schema), inDescription) };
}
