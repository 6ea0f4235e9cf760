/** Mask the secrets of a result. */
import { redactor } from '../../../http/redact.ts';
import { choicesOf, type Field, type Fields, fieldOf, itemOf, keysOf } from '../../../spec/field.ts';
import {
  isSecretMember,
  isSecretName,
  isSecretText,
  secretNamesIn,
  secretNamesInItem,
  secretTexts,
} from '../../../spec/mask.ts';
import { mask } from '../../../support/mask.ts';
import { isRecord } from '../../../support/record.ts';
import type { Tool } from './tools.ts';

type Redact = (text: string) => string;

/** A function that masks texts everywhere. */
export function redactorOf(secrets: readonly string[]): Redact {
  return redactor([...new Set(secrets)]);
}

/**
 * Copy a result with its secrets masked: the fields that are secret, and the same texts in all other fields.
 * @param secrets other texts to mask
 */
export function concealed(value: unknown, { fields, result }: Tool, secrets: readonly string[]): unknown {
  const inner = result === 'rows' && isRecord(value) ? value['rows'] : value;
  const redact = redactorOf([...secrets, ...secretTexts(inner, fields)]);
  if (result !== 'rows' || !isRecord(value)) return hide(value, fields, redact);
  // A cursor is random text.
  return { ...value, rows: hide(inner, fields, redact) };
}

/** @param fields of an object; undefined if its names are data */
function hide(value: unknown, fields: Fields | undefined, redact: Redact, isHidden = isSecretName): unknown {
  if (typeof value === 'string') return isSecretText(value, isHidden) ? mask : redact(value);
  if (Array.isArray(value))
    return value.map((item) => hide(item, fields, redact, secretNamesInItem(item, isHidden)));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const field = fields && fieldOf(fields, name);
      const isOwn = isSecretMember(name, field, isHidden) && item !== null && typeof item !== 'boolean';
      return [fields ? name : redact(name), isOwn ? mask : hideField(name, item, field, redact)];
    }),
  );
}

function hideField(name: string, item: unknown, field: Field | undefined, redact: Redact): unknown {
  // A value from a documented list is no secret.
  if (typeof item === 'string' && field && choicesOf(field)) return item;
  return hide(item, keysOf(field && itemOf(field)), redact, secretNamesIn(name));
}
