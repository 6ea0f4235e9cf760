/** The words for a field: what stands for its value, and what is to be known of it. */
import type { Access, Endpoint } from '../spec/endpoint.ts';
import { type Field, type Kind, type Role, takesNull } from '../spec/field.ts';
import { kebab } from '../spec/names.ts';
import { tie } from './layout.ts';

/** What a shell can offer for a value. */
export type Hint = 'file' | 'folder' | NonNullable<Field['suggest']>;

const kindWords: Record<Kind, string> = {
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

/** What stands for a value in usage lines: `<url>`, `<status>...`, `<key>=<value>`. */
export function placeholderOf(field: Field): string {
  if (field.kind === 'list') return `<${itemWord(field.of ?? field)}>...`;
  if (field.kind === 'hash') {
    const [only, ...others] = Object.keys(field.keys ?? {});
    return only !== undefined && others.length === 0 ? `${only}=<value>` : '<key>=<value>...';
  }
  if (field.kind === 'rows') return '<key>=<value>,...';
  return `<${word(field)}>`;
}

function word(field: Field): string {
  if (field.placeholder) return field.placeholder;
  const choices = field.choices?.join('|');
  if (choices !== undefined && choices.length <= 24) return choices;
  return field.choices ? 'choice' : kindWords[field.kind];
}

/** One item of a list: named by its own short doc where it has one. */
function itemWord(field: Field): string {
  if (field.placeholder) return field.placeholder;
  if (field.choices && field.choices.join('|').length <= 24) return field.choices.join('|');
  const short = /^[A-Za-z]+( [A-Za-z]+)?$/.exec(field.doc)?.[0];
  return short ? short.toLowerCase().replace(' ', '-') : word(field);
}

/** What a shell can offer for a value of this field. */
export function hintOf(field: Field): Hint | undefined {
  const inner = field.of ?? field;
  return inner.suggest ?? (inner.kind === 'file' || inner.long || field.kind === 'rows' ? 'file' : undefined);
}

/** Bounds of a value in words. */
function boundsOf({ min, max, maxLength }: Field): string[] {
  const bounds: string[] = [];
  if (min !== undefined && max !== undefined) bounds.push(`${min} to ${max}`);
  else if (min !== undefined) bounds.push(`at least ${min}`);
  else if (max !== undefined) bounds.push(`at most ${max}`);
  if (maxLength !== undefined) bounds.push(`at most ${maxLength} characters`);
  return bounds;
}

/**
 * What is to be known of a parameter beyond its doc, in the order in which it is told.
 * @param name the API's name
 * @param asked whether a person is asked for it where it is a secret and left out
 */
export function notesOf(name: string, field: Field, asked = field.required === true): string[] {
  const notes: string[] = [];
  const inner = field.of ?? field;
  const choices = inner.choices?.join(', ');
  if (choices !== undefined && !shownInPlace(field)) notes.push(`one of: ${choices}`);
  notes.push(...boundsOf(inner));
  if (fillsItself(field)) notes.push('sent by itself');
  else if (field.required) notes.push(field.orElse ? `required, or ${orElse(field)}` : 'required');
  if (field.default !== undefined) notes.push(`default:${tie}${field.default === '' ? '""' : field.default}`);
  if (takesNull(field)) notes.push('null clears it');
  notes.push(...waysOf(name, field, asked), ...limitsOf(field));
  return notes;
}

/** Whether a parameter that the service requires may be left out, since one value alone is possible. */
export function fillsItself(field: Field): boolean {
  return field.required === true && field.choices?.length === 1;
}

/** The choices of a field, as a note. */
export function choicesWords(field: Field): string[] {
  return field.choices ? [`one of: ${field.choices.join(', ')}`] : [];
}

/** Whether the placeholder itself lists the choices. */
function shownInPlace(field: Field): boolean {
  const choices = (field.of ?? field).choices?.join('|');
  return choices !== undefined && placeholderOf(field).startsWith(`<${choices}>`);
}

function orElse(field: Field): string {
  return (field.orElse ?? []).map((other) => `--${kebab(other)}`).join(' or ');
}

function waysOf(name: string, field: Field, asked: boolean): string[] {
  if (field.kind === 'rows') return [`repeat it, or give the whole list as JSON: --${kebab(name)} @file`];
  if (field.kind === 'hash') {
    const keys = Object.keys(field.keys ?? {}).length;
    return keys === 1 ? [] : [keys > 1 ? 'once for each key' : 'repeat it for more'];
  }
  if (field.kind === 'list') {
    const plain = field.of?.choices || field.of?.kind === 'int';
    return [plain ? 'repeat it, or join with commas' : 'repeat it for more'];
  }
  if (field.secret) {
    const ways = asked ? '@file, - or the prompt keep' : '@file or - keeps';
    return [`${ways} it out of the history and of process lists`];
  }
  if (field.long) return ['@file reads a file, - standard input'];
  if (field.kind === 'file') return ['- reads standard input'];
  return [];
}

/** Tier, role and age of a field. */
export function limitsOf(field: Field): string[] {
  const limits: string[] = [];
  if (field.tier) limits.push(tierWords(field.tier));
  if (field.role) limits.push(`for ${roleWords(field.role)}`);
  if (field.deprecated) limits.push(`deprecated: ${field.deprecated}`);
  return limits;
}

/** One line for each key of a hash or a row, where its keys are known and one flag does not say it all. */
export function keyLines(field: Field): string[] {
  if (field.kind !== 'rows' && field.kind !== 'hash') return [];
  return Object.entries(field.keys ?? {}).map(([name, key]) => {
    const notes = notesOf(name, key, false).filter(
      (note) => !note.startsWith('repeat') && !note.startsWith('- reads'),
    );
    const choices =
      key.choices && placeholderOf(key).includes('|') ? [`one of: ${key.choices.join(', ')}`] : [];
    return noted(`${name}: ${key.doc}`, [...choices, ...notes]);
  });
}

/** A doc and its notes in brackets; one pair of brackets where the doc ends with its own. */
export function noted(doc: string, notes: readonly string[]): string {
  if (notes.length === 0) return doc;
  const own = /^(.*) \(([^()]*)\)$/.exec(doc);
  return own ? `${own[1]} (${[...notes, own[2]].join('; ')})` : `${doc} (${notes.join('; ')})`;
}

function tierWords(tier: 'premium' | 'ultimate'): string {
  return tier === 'premium' ? 'Premium and Ultimate' : 'Ultimate';
}

function roleWords(role: Role): string {
  if (role === 'user') return 'any signed-in user';
  if (role === 'administrator') return 'an administrator';
  if (role === 'owner') return 'an Owner';
  const name = (role[0] as string).toUpperCase() + role.slice(1);
  return `a ${name} or higher`;
}

/** Which credential a call takes. */
function tokenWords(access: Access): string {
  if (access.jobToken === 'only') return 'a job token, and no other';
  const scoped = access.scope === 'api' ? 'an access token with the scope api' : 'an access token';
  const tokens = access.jobToken === 'also' ? `${scoped} or a job token` : scoped;
  return access.anonymous ? `none for what is public, else ${tokens}` : tokens;
}

/** The limits of a call in a few words, for a list of commands: `Premium and Ultimate; for an administrator`. */
export function accessWords(access: Access): string[] {
  const words: string[] = [];
  if (access.tier) words.push(tierWords(access.tier));
  if (access.offering) words.push(access.offering === 'hosted' ? 'hosted only' : 'self-managed only');
  if (access.role && access.role !== 'user') words.push(`for ${roleWords(access.role)}`);
  if (access.jobToken === 'only') words.push('job token only');
  return words;
}

/** The request line behind a call: `GET /projects/:id/jobs`. */
export function requestOf(endpoint: Endpoint): string {
  return `${endpoint.method} ${endpoint.path}`;
}

/** Token, role, tier and offering of a call, in sentences. */
export function accessFacts(access: Access): string {
  const facts = [
    `Token: ${tokenWords(access)}.`,
    ...(access.role ? [`Role: ${roleWords(access.role)}.`] : []),
    ...(access.tier ? [`Tier: ${tierWords(access.tier)}.`] : []),
    ...(access.offering ? [`Offered: ${offeringWords(access.offering)}.`] : []),
  ];
  return facts.join(' ');
}

function offeringWords(offering: 'self-managed' | 'hosted'): string {
  return offering === 'hosted' ? 'on the hosted service only' : 'self-managed and dedicated only';
}

/** What a command that ends or replaces something wants first; empty for the others. */
export function confirmWords(endpoints: readonly Endpoint[]): string[] {
  const wants = new Set(endpoints.map(({ confirm }) => confirm));
  if (wants.has('name'))
    return [
      'On a terminal it wants the name of what is ended typed; without one it needs --confirm with that name, or --yes.',
    ];
  return wants.has('yes') ? ['It asks first on a terminal; without one it needs --yes.'] : [];
}
