/** The sentence that confirms a write: `Created variable LOG_LEVEL in acme/rocket`. */
import { isRecord } from '../support/record.ts';
import { fieldAt } from './column.ts';
import { type Endpoint, returnedFields, verbs } from './endpoint.ts';
import { type Field, fieldOf, isSecret } from './field.ts';
import { type Call, isFilePart, type Value } from './request.ts';

const part = /\([^()]*\)|\S+/g;
const placeholder = /\{([\w.-]+)\}/g;

/**
 * Write the confirmation of a call.
 * @param response the parsed body; undefined if there is none
 * @param scheduled the service accepted the request and carries it out later (202)
 * @param redact masks secrets in text that only the service returned; a key that the user typed may contain its own value
 * @returns undefined for an endpoint without a template
 */
export function confirmationOf(
  call: Call,
  response: unknown,
  scheduled: boolean,
  redact: (text: string) => string,
): string | undefined {
  const { done, scope } = call.endpoint;
  if (done === undefined) return undefined;
  const template = scope && !done.includes('{scope}') ? `${done} in {scope}` : done;
  const words = (template.match(part) ?? []).flatMap((one) => fill(one, call, response, redact) ?? []);
  const [verb, ...rest] = words;
  return scheduled ? `Scheduled ${verbs[verb as keyof typeof verbs]} of ${rest.join(' ')}` : words.join(' ');
}

/** Fill in the placeholders of a word or a group. @returns undefined if it is to be omitted */
function fill(
  template: string,
  call: Call,
  response: unknown,
  redact: (text: string) => string,
): string | undefined {
  let isKnown = true;
  const text = template.replace(placeholder, (_, name: string) => {
    const value = name === 'scope' ? scopeOf(call) : textFor(name, call, response, redact);
    const isDefault = template.startsWith('(') && value === String(defaultOf(name, call.endpoint));
    if (value === undefined || value === '' || isDefault) isKnown = false;
    return value ?? '';
  });
  return isKnown ? text : undefined;
}

/** `acme/rocket`, `project 7`, `group acme` */
export function scopeOf({
  endpoint: { scope },
  slots,
}: Pick<Call, 'endpoint' | 'slots'>): string | undefined {
  const id = slots['id'];
  if (!scope || id === undefined) return undefined;
  return scope.name === 'project' && !/^\d+$/.test(id) ? id : `${scope.name} ${id}`;
}

function textFor(
  name: string,
  { endpoint, slots, values }: Call,
  response: unknown,
  redact: (text: string) => string,
): string | undefined {
  const slot = endpoint.argumentFields[name] ?? name;
  const given = fieldOf(endpoint.slots, slot) ? slots[slot] : undefined;
  const path = name.split('.');
  if (fieldsAt(endpoint, name).some(isSecret)) return undefined;
  const typed = textOf(at(values, path)) ?? textOf(given);
  const returned = textOf(at(response, path));
  return returned === undefined || returned === typed ? typed : redact(returned);
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );

const maxLength = 100;

/** The text of a value on one line; for a file, its name. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'object' && value !== null && isFilePart(value as Value))
    return textOf((value as { readonly filename: string }).filename);
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return undefined;
  const text = String(value).replace(/\s+/g, ' ').trim();
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

function fieldsAt(endpoint: Endpoint, name: string): (Field | undefined)[] {
  return [returnedFields(endpoint), endpoint.takes].map((fields) => fieldAt(fields, name));
}

function defaultOf(name: string, endpoint: Endpoint): Field['default'] {
  return fieldsAt(endpoint, name).find((field) => field?.default !== undefined)?.default;
}
