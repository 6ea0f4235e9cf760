/** Texts derived from the catalogue: placeholders, notes on a parameter, access requirements. */
import type { Argument } from '../spec/command.ts';
import type { Access, Endpoint } from '../spec/endpoint.ts';
import { choicesOf, type Field, itemOf, type Kind, keysOf, type Role, takesNull } from '../spec/field.ts';
import { kebab, upperFirst } from '../spec/names.ts';
import { tie } from './layout.ts';

const kindPlaceholders: Record<Kind, string> = {
  text: 'text',
  int: 'n',
  number: 'number',
  bool: 'true|false',
  datetime: 'time',
  date: 'date',
  list: 'value',
  hash: 'key>=<value',
  rows: 'key>=<value',
  file: 'path',
  object: 'json',
};

/** Return the placeholder of a value: `<url>`, `<status>...`, `<key>=<value>`. */
export function placeholderOf(field: Field): string {
  if (field.kind === 'list') return `<${valuePlaceholder(field.of)}>...`;
  if (field.kind === 'hash') {
    const [only, ...others] = Object.keys(field.keys ?? {});
    return only !== undefined && others.length === 0 ? `${only}=<value>` : '<key>=<value>...';
  }
  if (field.kind === 'rows') return '<key>=<value>,...';
  return `<${valuePlaceholder(field)}>`;
}

/** Characters of choices that a placeholder lists. */
const maxChoices = 24;

function valuePlaceholder(field: Field): string {
  const { placeholder, suggest, kind } = field;
  if (placeholder) return placeholder;
  const choices = choicesOf(field)?.join('|');
  if (choices !== undefined && choices.length <= maxChoices) return choices;
  if (choices !== undefined) return 'choice';
  if (suggest === 'path') return 'file';
  if (suggest === 'folder') return 'dir';
  return ('unit' in field && field.unit) || kindPlaceholders[kind];
}

type NoteKind = 'choices' | 'required' | 'repeats' | 'stdin';

/** A remark after the description of a value. Those that not every page prints have a kind. `svc help flags` explains obvious ones. */
export type Note = string | { readonly kind?: NoteKind; readonly text: string; readonly obvious?: boolean };

function boundsOf(field: Field): string[] {
  if ('maxLength' in field) return [`at most ${field.maxLength} characters`];
  if (field.kind !== 'int' && field.kind !== 'number') return [];
  const { min, max } = field;
  if (min === undefined) return max === undefined ? [] : [`at most ${max}`];
  return [max === undefined ? `at least ${min}` : `${min} to ${max}`];
}

/**
 * Return the notes on a parameter that follow its description.
 * @param name the API name of the parameter
 * @param prompted whether a prompt requests the value if it is a secret and missing
 */
export function notesOf(name: string, field: Field, prompted = field.required === true): Note[] {
  const { implied, required, orElse } = field;
  const notes: Note[] = [
    ...choicesNote(choicesOf(field)),
    ...boundsOf(itemOf(field)),
    ...nameNotes(itemOf(field)),
  ];
  if (implied !== undefined) notes.push(`default:${tie}${implied}`);
  else if (isAutomatic(field)) notes.push('sent automatically');
  else if (required && orElse)
    notes.push(`required, or ${orElse.map((other) => `--${kebab(other)}`).join(' or ')}`);
  else if (required) notes.push({ kind: 'required', text: 'required' });
  notes.push(...defaultNote(field));
  if (takesNull(field)) notes.push('null clears it');
  return [...notes, ...inputNotes(name, field, prompted), ...limitsOf(field)];
}

/** Whether svc fills in a required parameter: it has an implied value, or only one is possible. */
export function isAutomatic(field: Field): boolean {
  return field.required === true && (field.implied !== undefined || choicesOf(field)?.length === 1);
}

/** Whether a request is rejected without the parameter: it has no alternative, and `svc` fills in no value. */
export function isRequired(field: Field): boolean {
  return field.required === true && !field.orElse && !isAutomatic(field) && field.in !== 'credential';
}

export function defaultNote(field: Pick<Field, 'default'> = {}): Note[] {
  const { default: assumed } = field;
  if (assumed === undefined) return [];
  return [{ text: `default:${tie}${assumed === '' ? '""' : assumed}`, obvious: assumed === false }];
}

export function choicesNote(choices: readonly unknown[] | undefined): Note[] {
  return choices ? [{ kind: 'choices', text: choices.join(', ') }] : [];
}

export function listsChoices(field: Field): boolean {
  const choices = choicesOf(field)?.join('|');
  return choices !== undefined && placeholderOf(field).startsWith(`<${choices}>`);
}

/** The words that svc replaces by an id (`cli/request/names.ts`). */
function nameNotes({ suggest }: Field): Note[] {
  if (suggest === 'pipelines/list/id') return ['or latest, latest:<ref>'];
  return suggest?.startsWith('users/') ? ['@me is the user of the token'] : [];
}

function inputNotes(name: string, field: Field, prompted: boolean): Note[] {
  if (field.kind === 'rows')
    return [{ kind: 'repeats', text: `repeatable; --${kebab(name)} @file reads the list as JSON` }];
  if (field.kind === 'hash') {
    const keys = Object.keys(field.keys ?? {}).length;
    if (keys > 0) return keys === 1 ? [] : ['once per key'];
    return [{ kind: 'repeats', text: 'repeatable', obvious: true }];
  }
  if (field.kind === 'list') {
    const hasCommas = choicesOf(field) || field.of.kind === 'int';
    const text = hasCommas ? 'repeatable, or separated by commas' : 'repeatable';
    return [{ kind: 'repeats', text, obvious: true }];
  }
  if (field.kind === 'text' && field.secret) {
    const ways = prompted ? '@file, - or the prompt' : '@file or -';
    return [`use ${ways} to keep it out of the shell history and process lists`];
  }
  if (field.kind === 'text' && field.long) return ['@file reads a file, - reads standard input'];
  if (field.kind === 'file') return [{ kind: 'stdin', text: '- reads standard input' }];
  return [];
}

export function limitsOf(field: Field): string[] {
  const needed = requirements(field);
  return [
    ...(needed.length > 0 ? [`requires ${listed(needed)}`] : []),
    ...(field.deprecated ? [`deprecated: ${field.deprecated}`] : []),
  ];
}

/** Return one line per key of a hash or a row; none if its keys are not known. */
export function keyLines(field: Field): string[] {
  if (field.kind === 'object') return [];
  return Object.entries(keysOf(field) ?? {}).map(([name, key]) => {
    return withNotes(`${name}: ${key.doc}`, notesOf(name, key, false), 'repeats', 'stdin');
  });
}

/**
 * Append notes in parentheses. Notes are merged with parentheses that end the description. Choices follow a colon if the description
 * is a plain phrase.
 * @param hidden the kinds that the page does not print
 */
export function withNotes(description: string, notes: readonly Note[], ...hidden: NoteKind[]): string {
  const [, phrase = '', ending = ''] = /^(.*?)(?: \(([^()]*)\))?$/s.exec(description) ?? [];
  const isPlain = !/[;:,.(]/.test(phrase) && (ending === '' || ending.startsWith('default: '));
  let doc = phrase;
  const remarks = notes.flatMap((note) => {
    if (typeof note === 'string') return note;
    if (note.kind && hidden.includes(note.kind)) return [];
    if (note.kind !== 'choices') return note.text;
    if (!isPlain) return `one of: ${note.text}`;
    doc += `: ${note.text}`;
    return [];
  });
  const all = [...remarks, ...(ending === '' ? [] : [ending])].join('; ');
  return all === '' ? doc : `${doc} (${all})`;
}

/** Describe an argument: its heading says whether it is required. */
export function argumentText({ field, of }: Pick<Argument, 'field' | 'of'>): string {
  return withNotes(of.doc, notesOf(field, of), 'required');
}

function tokenText(access: Access): string {
  if (access.jobToken === 'only') return 'job token only';
  const scoped = access.scope === 'api' ? 'an access token with the scope api' : 'an access token';
  const tokens = access.jobToken === 'also' ? `${scoped} or a job token` : scoped;
  return access.anonymous ? `none for public data, otherwise ${tokens}` : tokens;
}

/** Return what all endpoints of a command require besides a token, as a sentence; empty if nothing. */
export function requirementNotes(endpoints: readonly Endpoint[]): string[] {
  const [first = [], ...others] = endpoints.map(({ access }) => requirements(access));
  const shared = first.filter((one) => others.every((other) => other.includes(one)));
  return shared.length > 0 ? [`Requires ${listed(shared)}.`] : [];
}

function requirements({ role, tier, offering }: Pick<Access, 'role' | 'tier' | 'offering'>): string[] {
  const isHosted = offering === 'hosted';
  return [
    ...(role && role !== 'user' ? [roleText(role)] : []),
    ...(tier ? [tier === 'premium' ? 'a Premium or Ultimate license' : 'an Ultimate license'] : []),
    ...(offering ? [isHosted ? 'the hosted service' : 'a self-managed or dedicated instance'] : []),
  ];
}

function roleText(role: Role): string {
  if (role === 'administrator') return 'administrator access';
  return role === 'owner' ? 'the Owner role' : `at least the ${upperFirst(role)} role`;
}

/** `a`, `a and b`, `a, b and c` */
function listed(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' and ');
}

/** Return the request line of an endpoint: `GET /projects/:id/jobs`. */
export function requestOf(endpoint: Endpoint): string {
  return `${endpoint.method} ${endpoint.path}`;
}

export function accessFacts(access: Access): string {
  const needed = requirements(access);
  return [
    `Token: ${tokenText(access)}.`,
    ...(needed.length > 0 ? [`Requires ${listed(needed)}.`] : []),
    ...(access.feature ? [`Feature flag: ${access.feature.name}.`] : []),
  ].join(' ');
}

/** Return how a destructive command is confirmed; empty for other commands. */
export function confirmationNotes(endpoints: readonly Endpoint[]): string[] {
  const confirmations = new Set(endpoints.map(({ confirm }) => confirm));
  if (confirmations.has('name'))
    return [
      'Asks you to type the name of the resource. Without a terminal, pass it with --confirm, or use --yes.',
    ];
  return confirmations.has('yes') ? ['Asks for confirmation. Without a terminal, --yes is required.'] : [];
}
