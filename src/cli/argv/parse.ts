/** argv to what was typed: commander over flags that the catalogue names. */
import { Command, CommanderError, Option } from 'commander';
import { Failure, usage } from '../../errors.ts';
import type { Field } from '../../spec/field.ts';
import { kebab, rowFlag } from '../../spec/request.ts';
import { didYouMean } from '../../support/suggest.ts';
import { argumentsOfLeaf, flagFieldsOfLeaf, flagsOf, hasFile, type Leaf } from './command.ts';
import type { GlobalFlag } from './flags.ts';

export type Options = Readonly<Record<string, string | boolean | undefined>>;
export type Typed = string | boolean | readonly string[];

/** What was typed, before anybody judged what it means. */
export interface CommandLine {
  /** By the field that it fills. */
  readonly args: Readonly<Record<string, string>>;
  /** Parameters of the API, by field. */
  readonly fields: Readonly<Record<string, Typed>>;
  /** Flags of `svc` itself, by name. */
  readonly options: Options;
  readonly project?: string;
  readonly group?: string;
}

/** A commander command that throws where it would print and exit. */
export function quietCommand(name: string): Command {
  return new Command(name)
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {}, outputError: () => {} })
    .helpOption(false)
    .helpCommand(false)
    .allowExcessArguments(false);
}

/** commander's error in our words. What it says is kept; that it is an error of usage is known by its class. */
export function fromCommander(error: unknown, pointer: string): unknown {
  if (!(error instanceof CommanderError)) return error;
  const [first = '', ...more] = error.message.split('\n').filter((line) => line !== '');
  // A value tied to a misspelt flag is not repeated: it may be a secret.
  const message = first
    .replace(/^error: /, '')
    .replace(/^(unknown option '--?[\w-]+)=.*$/, "$1'")
    .replace(/^missing required argument '(.*)'$/, '<$1> is missing')
    .replace(/^option '(?:-\w, )?(--[\w-]+)[^']*' argument missing$/, '$1 needs a value');
  return usage(message, [...more.map((line) => line.replace(/^\(|\)$/g, '')), `see ${pointer} --help`]);
}

/** Give a command a flag of `svc`. @returns the option, for who reads its values in another way */
export function addGlobal(command: Command, flag: GlobalFlag): Option {
  const short = flag.short ? `-${flag.short}, ` : '';
  const value =
    flag.value === undefined ? '' : ` ${flag.value.startsWith('[') ? flag.value : `<${flag.value}>`}`;
  const option = new Option(`${short}--${flag.name}${value}`);
  const { choices } = flag;
  if (choices) {
    option.argParser((word: string) => {
      if (choices.includes(word)) return word;
      const wanted = `--${flag.name} must be one of ${choices.join(', ')}`;
      throw usage(`${wanted}, not ${JSON.stringify(word)}`, didYouMean(word, choices));
    });
  }
  command.addOption(option);
  return option;
}

const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];
const manifold = new Set(['list', 'hash', 'rows']);

function addField(command: Command, name: string, field: Field): void {
  const flag = kebab(name);
  if (field.kind === 'bool') {
    command.addOption(new Option(`--${flag}`)).addOption(new Option(`--no-${flag}`));
    return;
  }
  const option = new Option(`--${flag} <value>`);
  if (manifold.has(field.kind)) option.argParser(collect);
  command.addOption(option);
  if (field.kind === 'rows' && rowFlag(name) !== flag)
    command.addOption(new Option(`--${rowFlag(name)} <row>`).argParser(collect));
}

/** `--masked=false` is `--no-masked`, `-o=json` is `-ojson`: commander knows no value that must be tied by `=`. */
export function normalize(rest: readonly string[], bools: ReadonlySet<string>, command: Command): string[] {
  const valued = new Set(
    command.options.flatMap(({ required, long, short }) => (required ? [long, short] : [])),
  );
  let isValue = false;
  let ended = false;
  return rest.map((word) => {
    if (isValue || ended) {
      isValue = false;
      return word;
    }
    ended = word === '--';
    isValue = valued.has(word);
    // kubectl and gh take `-o=json` too.
    const short = /^-([a-z])=(.+)$/s.exec(word);
    if (short) return `-${short[1]}${short[2]}`;
    const match = /^--([a-z0-9-]+)=(.*)$/s.exec(word);
    if (!match || !bools.has(match[1] as string)) return word;
    const value = (match[2] as string).toLowerCase();
    if (['true', '1', 'yes', 'on'].includes(value)) return `--${match[1]}`;
    if (['false', '0', 'no', 'off'].includes(value)) return `--no-${match[1]}`;
    throw usage(`--${match[1]} must be true or false, not ${JSON.stringify(match[2])}`);
  });
}

/** What was typed for a flag; undefined where it is commander's own default, as of one with a `--no-` form. */
export function typedIn(command: Command): (flag: string) => Typed | undefined {
  return (flag) => {
    const name = new Option(`--${flag}`).attributeName();
    return command.getOptionValueSource(name) === 'default' ? undefined : command.getOptionValue(name);
  };
}

/**
 * Parse what follows the command's name.
 * @throws Failure `usage`
 */
export function parseLeaf(leaf: Leaf, rest: readonly string[]): CommandLine {
  const command = quietCommand(leaf.name);
  const fields = flagFieldsOfLeaf(leaf);
  const options = flagsOf(leaf);
  const scopes = new Set(leaf.endpoints.flatMap(({ scope }) => (scope ? [scope.name] : [])));
  for (const flag of options) addGlobal(command, flag);
  for (const [name, field] of Object.entries(fields)) addField(command, name, field);
  for (const scope of scopes) command.addOption(new Option(`-${scope[0]}, --${scope} <id|path>`));
  const files = leaf.endpoints.some(({ takes }) => hasFile(takes));
  if (files) command.addOption(new Option('--filename <name>'));
  const args = argumentsOfLeaf(leaf);
  // The body may be given whole, and what goes into it is no argument then.
  const whole = rest.some((word) => /^--data(=|$)/.test(word));
  const inBody = (field: string) => leaf.endpoints.some(({ takes }) => takes[field] !== undefined);
  for (const { name, field, required } of args)
    command.argument(required && !(whole && inBody(field)) ? `<${name}>` : `[${name}]`);
  const bools = new Set(
    Object.entries(fields).flatMap(([name, { kind }]) => (kind === 'bool' ? [kebab(name)] : [])),
  );
  try {
    command.parse(normalize(rest, bools, command), { from: 'user' });
  } catch (error) {
    throw fromCommander(error, `svc ${leaf.area} ${leaf.name}`);
  }
  const given = typedIn(command);
  const typed: Record<string, Typed> = {};
  for (const name of Object.keys(fields)) {
    const value = given(kebab(name));
    const row = fields[name]?.kind === 'rows' ? given(rowFlag(name)) : undefined;
    if (row !== undefined) typed[name] = [...((value as string[] | undefined) ?? []), ...(row as string[])];
    else if (value !== undefined) typed[name] = value;
  }
  return {
    args: Object.fromEntries(
      args.flatMap(({ field }, at) => (command.args[at] === undefined ? [] : [[field, command.args[at]]])),
    ),
    fields: typed,
    options: readGlobals(options, given, files),
    ...pickText('project', given),
    ...pickText('group', given),
  };
}

/** The flags of `svc` that were typed, by name; `no-header` is true where `--no-header` was. */
export function readGlobals(
  flags: readonly GlobalFlag[],
  given: (flag: string) => Typed | undefined,
  files = false,
): Options {
  const read: Record<string, string | boolean | undefined> = {};
  for (const { name } of flags) {
    const value = name.startsWith('no-') ? given(name.slice(3)) === false || undefined : given(name);
    if (value !== undefined) read[name] = value as string | boolean;
  }
  if (files && given('filename') !== undefined) read['filename'] = given('filename') as string;
  return read;
}

function pickText(name: 'project' | 'group', given: (flag: string) => Typed | undefined) {
  const value = given(name);
  return typeof value === 'string' ? { [name]: value } : {};
}

/** So many names can be told in a line or two. */
const few = 12;

/** The nearest names, for a word that is none of them: commander's own judgement is used where it parses. */
export function unknownWord(kind: string, word: string, known: readonly string[], pointer: string): Failure {
  const command = quietCommand('svc');
  for (const name of known) command.command(name);
  try {
    command.parse([word], { from: 'user' });
  } catch (error) {
    const failure = fromCommander(error, pointer);
    if (failure instanceof Failure) {
      const near = failure.hints.some((hint) => hint.startsWith('Did you mean'));
      const all = near || known.length > few ? [] : [`there are: ${known.join(', ')}`];
      return usage(`unknown ${kind} ${JSON.stringify(word)}`, [...all, ...failure.hints]);
    }
  }
  return usage(`unknown ${kind} ${JSON.stringify(word)}`, `see ${pointer} --help`);
}
