/**
 * The description of a command: of API endpoints, a task or the program itself. The parser, help, manual, completion, reference
 * and schema are derived from it.
 */
import type { Kind } from '../errors.ts';
import { isReadMethod } from '../support/http-method.ts';
import { lazy } from '../support/record.ts';
import type { Endpoint, Example, FlagTarget, Scope } from './endpoint.ts';
import { choice, type Field, type Fields, fieldOf, keysOf, text } from './field.ts';
import type { ProgramFlag } from './flag.ts';
import { kebab, propertyOf, rowFlag } from './names.ts';

export interface Argument {
  /** As shown: `file-path`. */
  readonly name: string;
  /** The slot or parameter that it fills: `file_path`. */
  readonly field: string;
  readonly required: boolean;
  /** Any number of words. */
  readonly variadic?: true;
  /** Several words are as many calls. */
  readonly repeats?: true;
  readonly of: Field;
}

/** `destructive`: deletes or replaces something, or can send any request. */
export type Effect = 'read' | 'write' | 'destructive';

export interface Command {
  /** The first word: `jobs`, `auth`. */
  readonly area: string;
  /** The second word; the same as `area` for a command of one word, such as `svc doctor`. */
  readonly name: string;
  readonly summary: string;
  readonly docs: readonly string[];
  readonly deprecated: readonly string[];
  readonly arguments: readonly Argument[];
  /** Placeholder of the words after `--`, which are passed to another program. */
  readonly tail?: string;
  /** The parameters of the API that are flags, by their API name. */
  readonly fields: Fields;
  readonly flags: readonly ProgramFlag[];
  /** The calls that the command chooses from; empty for a task or a command of the program itself. */
  readonly endpoints: readonly Endpoint[];
  /** Describes what a task prints. Its request is not sent. */
  readonly prints?: Endpoint | undefined;
  /** The effect on the service; by default, that of its endpoints. */
  readonly effect?: Effect;
  /** The failures that only some commands can have. */
  readonly exits?: readonly Kind[] | undefined;
  readonly scopes?: readonly Scope[];
  readonly examples: readonly Example[];
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly doc?: string;
  readonly aliases?: readonly string[];
  readonly commands: readonly Command[];
}

/** The name of the command that an endpoint belongs to, without its arguments: `update`. */
export function commandName(endpoint: Endpoint): string {
  return endpoint.command.split(' ', 1)[0] as string;
}

/**
 * The arguments of a usage line: `<file>`, `[kind...]`, `[bash|zsh]`.
 * @param of describes their values; by default any text
 * @param argumentFields the fields of arguments with another name
 */
export function argumentsIn(usage: string, of: Fields = {}, argumentFields: NamedFields = {}): Argument[] {
  return [...usage.matchAll(/([<[])([^>\].]+)(\.\.\.)?[>\]]/g)].map(([, open, name = '', more]) => {
    const field = argumentFields[name] ?? propertyOf(name);
    const variadic = more === undefined ? {} : { variadic: true as const };
    return { name, field, required: open === '<', ...variadic, of: fieldOf(of, field) ?? valueNamed(name) };
  });
}

type NamedFields = Endpoint['argumentFields'];

function valueNamed(name: string): Field {
  if (name.includes('|')) return choice(name.split('|'), name);
  return text(name, name === 'file' ? { suggest: 'path' } : {});
}

/** The arguments of one endpoint. The last one repeats if it names a resource that the endpoint acts on. */
export function argumentsOf(endpoint: Endpoint): Argument[] {
  const { slots, takes, returns, argumentFields } = endpoint;
  const all = argumentsIn(endpoint.command, { ...takes, ...slots }, argumentFields);
  const last = all.at(-1);
  const isNamed = last && (last.field in slots || last.of.suggest?.includes('/'));
  const isOther = returns.kind === 'list' || returns.kind === 'raw' || endpoint.confirm === 'name';
  if (!isNamed || isOther) return all;
  return [...all.slice(0, -1), { ...last, repeats: true }];
}

export interface Declaration {
  readonly name: string;
  /** As in a usage line: `<setting> [value]`, or `-- <command>` for the command line of another program. */
  readonly args?: string;
  /** The fields of its arguments: `pipeline_id` for `<pipeline-id>`. Other arguments are text. */
  readonly of?: Fields;
  readonly summary: string;
  readonly doc?: string;
  readonly effect?: Effect;
}

/** Describe a command without endpoints, except its effect. @param computed properties that few runs need */
export function declaredCommand(
  area: string,
  { name, args = '', of, summary, doc }: Declaration,
  computed: { flags(): readonly ProgramFlag[]; examples(): readonly Example[] },
): Command {
  const [own = '', tail] = args.split('-- ');
  return Object.assign(lazy({ arguments: () => argumentsIn(own, of), ...computed }), {
    area,
    name,
    summary,
    docs: doc === undefined ? [] : [doc],
    deprecated: [],
    ...(tail === undefined ? {} : { tail }),
    fields: {},
    endpoints: [],
  });
}

/** The parameters of one endpoint that are flags, by the names of the flags: neither arguments nor credentials. */
export function flagFields(endpoint: Endpoint): Record<string, Field> {
  const own = Object.entries(endpoint.flags ?? {});
  const taken = new Set([
    ...argumentsOf(endpoint).map(({ field }) => field),
    ...own.flatMap(([, { sets }]) => (sets.length === 1 ? sets : [])),
  ]);
  return Object.fromEntries([
    ...Object.entries(endpoint.takes).filter(
      ([name, field]) => !taken.has(name) && field.in !== 'credential',
    ),
    ...own.map(([name, { sets, doc }]) => [name, { ...parameterAt(endpoint, sets), doc }] as const),
  ]);
}

export function parameterAt({ takes, command }: Endpoint, [name, key]: FlagTarget['sets']): Field {
  const parameter = fieldOf(takes, name);
  const field = key === undefined ? parameter : fieldOf(keysOf(parameter) ?? {}, key);
  if (!field) throw new Error(`${command}: a flag sets an unknown parameter: ${name} ${key}`);
  return field;
}

/** The flag of a parameter of one endpoint, without dashes. */
export function flagOf({ flags = {}, takes }: Endpoint, parameter: string): string {
  const renamed = Object.entries(flags).find(([, { sets }]) => sets.length === 1 && sets[0] === parameter);
  if (renamed) return kebab(renamed[0]);
  return flagName(parameter, takes[parameter]);
}

function mergedArguments(endpoints: readonly Endpoint[]): Argument[] {
  const all = endpoints.map(argumentsOf);
  const most = all.reduce((a, b) => (b.length > a.length ? b : a), []);
  return most.map((argument, at) => ({
    ...argument,
    required: all.every((some) => some[at]?.required === true),
  }));
}

/**
 * Merge endpoints with the same name, one for each scope or set of arguments, into a command.
 * @param programFlags returns the flags of the program that a command with these endpoints accepts
 */
export function endpointCommand(
  area: string,
  endpoints: readonly Endpoint[],
  programFlags: (endpoints: readonly Endpoint[]) => readonly ProgramFlag[],
): Command {
  const command: Command = Object.assign(
    lazy({
      summary: () => mergedSummary(endpoints),
      docs: () => [...distinct(endpoints.map(docOf)), ...unspecified(endpoints)],
      deprecated: () => distinct(endpoints.map(({ deprecated }) => deprecated)),
      arguments: () => mergedArguments(endpoints),
      fields: () => mergedFields(endpoints),
      flags: () => flagsBeside(command.fields, programFlags(endpoints)),
      examples: () => endpoints.flatMap(({ examples }) => examples),
    }),
    { area, name: endpoints.map(commandName)[0] ?? '', endpoints },
  );
  return command;
}

/** The flags of the program without those that a parameter of the API hides, such as an epic's `color`. */
function flagsBeside(fields: Fields, flags: readonly ProgramFlag[]): ProgramFlag[] {
  const own = new Set(Object.keys(fields).map(kebab));
  return flags.filter(({ name }) => !own.has(name));
}

function mergedFields(endpoints: readonly Endpoint[]): Fields {
  const fields: Record<string, Field> = {};
  for (const [name, field] of endpoints.flatMap((one) => Object.entries(flagFields(one))))
    fields[name] ??= field;
  return fields;
}

function docOf({ doc, usage, lossWarning }: Endpoint): string | undefined {
  const lost = lossWarning === undefined ? undefined : `${lossWarning}.`;
  return [doc, usage, lost].filter((text) => text !== undefined).join(' ') || undefined;
}

function unspecified(endpoints: readonly Endpoint[]): string[] {
  const others = endpoints.filter((one) => one.unspecified);
  if (others.length === 0) return [];
  const scopes = others.map(({ scope }) => scopeText(scope));
  const where = others.length === endpoints.length ? '' : ` with ${scopes.join(' or ')}`;
  return [`Undocumented endpoint${where}: the request is modeled on similar services.`];
}

/** The flag that selects a scope, or text for no scope. */
export function scopeText(scope: Scope | undefined): string {
  return scope ? `--${scope.name}` : 'neither --project nor --group';
}

function distinct(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.filter((one) => one !== undefined))];
}

function mergedSummary(endpoints: readonly Endpoint[]): string {
  const [first = '', ...others] = distinct(endpoints.map(({ summary }) => summary));
  return [first, ...others.map((other) => `or ${lowerFirst(other)}`)].join('; ');
}

/** Lower the initial capital for the middle of a sentence, but not of an abbreviation. */
export function lowerFirst(sentence: string): string {
  return /^[A-Z][a-z]/.test(sentence) ? sentence.charAt(0).toLowerCase() + sentence.slice(1) : sentence;
}

/** `jobs list`, or `doctor`. */
export function pathOf({ area, name }: Pick<Command, 'area' | 'name'>): string {
  return area === name ? area : `${area} ${name}`;
}

type Named = { readonly name: string };
type Group<C> = Named & { readonly commands: readonly C[] };

/** The command that `svc <name>` itself runs: `svc doctor`, or `svc each`. */
export function ownCommand<C extends Named>({ name, commands }: Group<C>): C | undefined {
  return commands.find((command) => command.name === name);
}

/** Words that users of other programs type, and the commands that they mean. */
const aliases: ReadonlyMap<string, readonly string[]> = new Map([
  ['show', ['get']],
  ['rm', ['delete', 'remove']],
  ['ls', ['list']],
]);

/** Find a command of a group by its name, or else by an alias. The command of the group itself has no second word. */
export function commandNamed<C extends Named>({ name, commands }: Group<C>, word: string): C | undefined {
  const others = commands.filter((one) => one.name !== name);
  const words = [word, ...(aliases.get(word) ?? [])];
  return words.flatMap((one) => others.find((other) => other.name === one) ?? [])[0];
}

export function scopesOf({ endpoints, scopes = [] }: Pick<Command, 'endpoints' | 'scopes'>): Scope[] {
  return [...new Set([...endpoints.flatMap(({ scope }) => scope ?? []), ...scopes])];
}

/** The flag of a parameter, without dashes. For a list of hashes, the flag of one row: `file` for `files`. */
export function flagName(name: string, field: Field | undefined): string {
  return field?.kind === 'rows' ? rowFlag(name) : kebab(name);
}

export function printedBy({ endpoints, prints }: Pick<Command, 'endpoints' | 'prints'>): readonly Endpoint[] {
  return prints ? [prints] : endpoints;
}

export function effectOf({ endpoints, effect }: Pick<Command, 'endpoints' | 'effect'>): Effect {
  if (effect) return effect;
  if (endpoints.some(({ confirm }) => confirm !== undefined)) return 'destructive';
  return endpoints.every(({ method }) => isReadMethod(method)) ? 'read' : 'write';
}

/** Flags that are not input: `--data` holds the other properties, and `--help` runs nothing. */
const omitted = new Set(['data', 'help']);

export function inputFlags({ flags }: Command): ProgramFlag[] {
  return flags.filter(({ name }) => !omitted.has(name));
}
