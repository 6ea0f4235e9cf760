/** The sentence that confirms a write: `Created variable LOG_LEVEL in acme/rocket`. */
import { scalarText, valueAt } from '../support/record.ts';
import { withoutUser } from '../support/url.ts';
import { fieldAt } from './column.ts';
import { type Endpoint, returnedFields, verbs } from './endpoint.ts';
import { type Field, fieldOf, isSecret } from './field.ts';
import { type Call, isFilePart } from './request.ts';

const parts = /\([^()]*\)|\S+/g;
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
  const { endpoint, slots, values } = call;
  const { done, scope } = endpoint;
  if (done === undefined) return undefined;
  const textFor = (name: string): string | undefined => {
    if (name === 'scope') return scopeOf(call);
    if (fieldsAt(endpoint, name).some(isSecret)) return undefined;
    const slot = endpoint.argumentFields[name] ?? name;
    const typed = textOf(valueAt(values, name)) ?? (fieldOf(endpoint.slots, slot) && textOf(slots[slot]));
    const returned = textOf(valueAt(response, name));
    return returned === undefined || returned === typed ? typed : redact(returned);
  };
  /** Fill in a word or a group, or omit it. */
  const filled = (part: string): string[] => {
    let isKnown = true;
    const text = part.replace(placeholder, (_, name: string) => {
      const value = textFor(name);
      const known = fieldsAt(endpoint, name).find((field) => field?.default !== undefined);
      const isDefault = part.startsWith('(') && value === String(known?.default);
      if (value === undefined || value === '' || isDefault) isKnown = false;
      return value ?? '';
    });
    return isKnown ? [text] : [];
  };
  const template = scope && !done.includes('{scope}') ? `${done} in {scope}` : done;
  const [verb, ...rest] = (template.match(parts) ?? []).flatMap(filled);
  const words = scheduled ? ['Scheduled', verbs[verb as keyof typeof verbs], 'of'] : [verb];
  return [...words, ...rest].join(' ');
}

/** `acme/rocket`, `project 7`, `group acme` */
function scopeOf({ endpoint: { scope }, slots }: Call): string | undefined {
  const id = slots['id'];
  if (!scope || id === undefined) return undefined;
  return scope.name === 'project' && !/^\d+$/.test(id) ? id : `${scope.name} ${id}`;
}

const maxLength = 100;

/** The text of a value on one line; for a file, its name. */
function textOf(value: unknown): string | undefined {
  const plain = (isFilePart(value) ? value.filename : scalarText(value))?.replace(/\s+/g, ' ').trim();
  const text = plain && (/^https?:/i.test(plain) ? withoutUser(plain) : plain);
  return text && text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

function fieldsAt(endpoint: Endpoint, name: string): (Field | undefined)[] {
  return [returnedFields(endpoint), endpoint.takes].map((fields) => fieldAt(fields, name));
}
