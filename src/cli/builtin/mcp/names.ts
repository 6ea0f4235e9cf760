/**
 * Help and messages name flags, arguments and commands. For an agent, these are parameters and tools.
 */
import { argumentsOf, type Command, flagOf, scopesOf } from '../../../spec/command.ts';
import { propertyOf } from '../../../spec/input.ts';
import { kebab } from '../../../spec/names.ts';

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
  const flags = new Map<string, string>();
  for (const name of Object.keys(command.fields)) flags.set(kebab(name), name);
  for (const endpoint of command.endpoints)
    for (const name of Object.keys(endpoint.takes)) flags.set(flagOf(endpoint, name), name);
  // The flags of a task are its parameters.
  if (command.endpoints.length === 0) for (const { name } of command.flags) flags.set(name, propertyOf(name));
  for (const { name } of scopesOf(command)) flags.set(name, name);
  const args = new Map(
    [...command.arguments, ...command.endpoints.flatMap(argumentsOf)].map(({ name, field }) => [name, field]),
  );
  const inText = (text: string): string =>
    text
      .replace(/--([a-z][a-z0-9-]*)/g, (word, flag: string) => flags.get(flag) ?? word)
      .replace(/<([a-z-]+)>/g, (word, name: string) => args.get(name) ?? word)
      .replace(
        /(`|\bsvc )([a-z-]+ [a-z-]+)/g,
        (word, before: string, path: string) =>
          `${before === '`' && tools.has(path) ? before : ''}${tools.get(path) ?? word}`,
      );
  const inSchema = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(inSchema);
    if (typeof schema !== 'object' || schema === null) return schema;
    return Object.fromEntries(
      Object.entries(schema).map(([key, value]) => [
        key,
        key === 'description' && typeof value === 'string' ? inText(value) : inSchema(value),
      ]),
    );
  };
  // The structure does not change.
  return { inText, inSchema: <S>(schema: S) => inSchema(schema) as S };
}
