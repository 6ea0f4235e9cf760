/** Errors for unknown names and flags, with suggestions. */
import { type Failure, usage } from '../errors.ts';
import { type Command, type CommandGroup, commandNamed, pathOf } from '../spec/command.ts';
import { type CommandFlag, commandFlags } from '../spec/command-flags.ts';
import { quotedWord } from '../support/mask.ts';
import { hasPlaceholder } from '../support/placeholders.ts';
import { commandLine } from '../support/shell.ts';
import { didYouMean, nearest, suggest } from '../support/suggest.ts';
import { serverFlags } from './argv/flags.ts';
import { tokensOf } from './argv/split.ts';
import otherWords from './guesses.json' with { type: 'json' };

/** Replacements for words that users of other programs type. Of several, the first that is known applies. */
const guessesIn = (table: Readonly<Record<string, readonly string[]>>, word: string): readonly string[] =>
  Object.entries(table).find(([words]) => words.split(' ').includes(word))?.[1] ?? [];

const tokenFlags = new Set(['--token', '--private-token', '--access-token', '--pat', '--password', '-t']);

/** Return the hint for a flag that `svc` or this command does not have, if users of other programs know the flag. */
export function guessFlag(flag: string, known: readonly string[]): string[] {
  if (tokenFlags.has(flag))
    return ['set SVC_TOKEN or use --token-file <path>, because other users can see the command line'];
  const [, format] = /^--(ndjson|tsv|yaml|raw)$/.exec(flag) ?? [];
  if (format !== undefined && known.includes('--output')) return didYouMean([`-o ${format}`]);
  if (flag === '--job-token') return ['set SVC_JOB_TOKEN, because other users can see the command line'];
  return didYouMean([guessesIn(otherWords.flags, flag).find((one) => known.includes(one))]);
}

interface KnownNames {
  readonly entries: readonly { readonly name: string }[];
  group(word: string): Promise<CommandGroup | undefined>;
}

async function guessCommand(name: string, next: string | undefined, lookUp: KnownNames): Promise<string[]> {
  if (name === 'svc') return ['leave out "svc"'];
  const [right] = guessesIn(otherWords.commands, name);
  if (right !== undefined) return didYouMean([right]);
  // Other programs put the command before the resource: `kubectl get pods`.
  const group = next === undefined ? undefined : await lookUp.group(next);
  const command = group && (commandNamed(group, name)?.name ?? guessSubcommand(group, name));
  if (command) return [`put the area first: svc ${group.name} ${command}`];
  const groups = await Promise.all(lookUp.entries.map((entry) => lookUp.group(entry.name)));
  const found = groups.flatMap((one) => (one?.commands ?? []).filter((command) => command.name === name));
  // Most areas have commands such as list.
  return found.length > 3 ? [] : didYouMean(found.map((one) => `svc ${pathOf(one)}`));
}

/** Return the error for an unknown first word of a command line. @param next the second word */
export async function unknownName(name: string, next: string | undefined, lookUp: KnownNames) {
  const { topics } = await import('../docs/topics.ts');
  const known = lookUp.entries.map((one) => one.name);
  const topicNames = topics.map((topic) => topic.name).filter((topic) => !known.includes(topic));
  const shown = (one: string) => (topicNames.includes(one) ? `svc help ${one}` : one);
  const guesses = await guessCommand(name, next, lookUp);
  if (guesses.length === 0) guesses.push(...didYouMean(nearest(name, [...known, ...topicNames]).map(shown)));
  const failure = unknownWord('command', name, known, 'svc', guesses);
  return guesses.length > 0
    ? failure
    : failure.withHints('use "svc api" for requests that no command covers');
}

const guessSubcommand = ({ commands }: CommandGroup, name: string): string | undefined =>
  guessesIn(otherWords.subcommands, name).find((one) => commands.some((command) => command.name === one));

export function unknownCommand(group: CommandGroup, name: string): Failure {
  const elsewhere: Readonly<Record<string, string>> = otherWords.elsewhere;
  const other = elsewhere[`${group.name} ${name}`];
  const right = other ? `svc ${other}` : guessSubcommand(group, name);
  const guesses = didYouMean([right]);
  const known = group.commands.map((one) => one.name);
  return unknownWord('command', name, known, `svc ${group.name}`, guesses);
}

/** Arguments that belong to another command, which the text names: `$1` means the match. */
const argumentGuesses: readonly (readonly [command: RegExp, argument: RegExp, right: string])[] = [
  [/^jobs list$/, /^(\d+)$/, 'jobs for-pipeline $1'],
  [/^jobs list$/, /^--pipeline\b.*/s, 'jobs for-pipeline <pipeline-id>'],
  [/^apply$/, /^([\w./-]+\.(?:ya?ml|json))$/, 'apply -f $1'],
  [/^diff$/, /^([\w./-]+\.(?:ya?ml|json))$/, 'diff -f $1'],
  [/^each$/, /^--([\w-]+).*/s, 'each --projects <file> -- <command> --$1'],
  [
    /^each$/,
    /^([\w./][\w./-]*)$/,
    'each --projects <file>, or --projects - with the names on standard input',
  ],
  // Its user and its query can be secrets.
  [/^hooks create$/, /^(https?:\S+)$/, 'hooks create --url <url>'],
  [/^users get$/, /^(?=.*[^\d.])([\w.-]+)$/, 'users list --username $1'],
  // A longer value may be a secret: services do not mask values of less than eight characters.
  [/^variables set$/, /^(\w+)=(\w{1,7})$/, 'variables set $1 $2'],
  [/^variables (?:set|create|update)$/, /^(\w+)=.*/s, 'variables set $1 <value>'],
];

/** Whether a flag names the project, the group or the service, so that another command needs it too. `each` has them before its command. */
const isPlace = ({ name, scope }: CommandFlag, path: string): boolean =>
  path !== 'each' && (scope !== undefined || serverFlags.some(([flag]) => flag === name));

/** Add a suggestion to the error of a command line, if its unknown flag or first argument is that of another command. */
export function withGuess(failure: Failure, command: Command, rest: readonly string[]): Failure {
  const tokens = [...tokensOf(rest, commandFlags(command))];
  const unknown = tokens.flatMap((token) => (token.kind === 'unknown' ? token.word : []));
  const [typed = ''] = [
    ...unknown,
    ...tokens.flatMap((token) => (token.kind === 'argument' ? token.word : [])),
  ];
  const guess = argumentGuesses.find(([path, form]) => path.test(pathOf(command)) && form.test(typed));
  if (!guess) return failure;
  const places = tokens.flatMap((token) =>
    token.kind === 'flag' && isPlace(token.flag, pathOf(command))
      ? [`--${token.name}`, ...(token.value ? [token.value] : [])]
      : [],
  );
  const right = didYouMean([
    [`svc ${typed.replace(guess[1], guess[2])}`, commandLine(places)].join(' ').trim(),
  ]);
  return failure.with({ hint: [...right, ...failure.advice] });
}

const maxListed = 12;

/** The error for a word that is not among those known. @param guess a better suggestion than the nearest words */
export function unknownWord(
  kind: string,
  word: string,
  known: readonly string[],
  path: string,
  guess: readonly string[] = [],
): Failure {
  if (hasPlaceholder(word))
    return usage(`a placeholder cannot be a ${kind}`, 'use it in an argument or a value');
  const near = guess.length > 0 ? guess : suggest(word, known);
  const all = near.length > 0 || known.length > maxListed ? [] : [`available: ${known.join(', ')}`];
  return usage(`unknown ${kind} ${quotedWord(word)}`, [...near, ...all, `see ${path} --help`]);
}
