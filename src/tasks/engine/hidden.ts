/** Values that came from the environment or a file. They are secrets, whatever their attribute. */
import type { Field, Fields } from '../../spec/field.ts';
import type { Call } from '../../spec/request.ts';
import type { Row } from '../../spec/resource.ts';
import { isRecord } from '../../support/record.ts';

/** Whether a value is or contains one of these texts. */
export function holds(value: unknown, texts: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return texts.has(value);
  return typeof value === 'object' && value !== null && Object.values(value).some((one) => holds(one, texts));
}

/** Declare the parameters of a call that have one of these texts as secret, so that they are masked wherever it is printed. */
export function withSecretFields(call: Call, texts: ReadonlySet<string>): Call {
  const { endpoint, slots, values } = call;
  return {
    ...call,
    endpoint: {
      ...endpoint,
      takes: secretFields(endpoint.takes, [values], texts),
      slots: secretFields(endpoint.slots, [slots], texts),
    },
  };
}

function secretFields(fields: Fields, rows: readonly Row[], texts: ReadonlySet<string>): Fields {
  const pairs = Object.entries(fields).map(([name, field]): [string, Field] => {
    const values = rows.flatMap((row) => row[name]);
    return [name, holds(values, texts) ? secretField(field, values, texts) : field];
  });
  return Object.fromEntries(pairs);
}

function secretField(field: Field, values: readonly unknown[], texts: ReadonlySet<string>): Field {
  if (field.kind === 'text') return { ...field, secret: true };
  if (field.kind === 'list') return { ...field, of: secretField(field.of, values, texts) };
  if (!('keys' in field)) return field;
  return { ...field, keys: secretFields(field.keys ?? {}, values.filter(isRecord), texts) } as Field;
}
