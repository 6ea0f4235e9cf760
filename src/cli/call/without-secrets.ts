import { Numbers } from '../../output/json/values.ts';
import { type Fields, fieldOf, isSecret, keysOf } from '../../spec/field.ts';
import { mask } from '../../support/mask.ts';

/**
 * Mask the secret parameters of a write in its response. Numbers and the order of keys are unchanged.
 * @param takes the parameters of the call
 */
export async function withoutSecrets(json: Uint8Array, takes: Fields): Promise<Uint8Array> {
  if (!hasSecret(takes)) return json;
  const numbers = new Numbers();
  await numbers.load();
  const value = numbers.parse(Buffer.from(json).toString('utf8'), true);
  hide(value, takes);
  return Buffer.from(numbers.stringify(value));
}

function hasSecret(fields: Fields): boolean {
  return Object.values(fields).some((field) => isSecret(field) || hasSecret(keysOf(field) ?? {}));
}

/** Replace the secret values of a JSON value in place. */
function hide(value: unknown, fields: Fields): void {
  if (Array.isArray(value)) {
    for (const item of value) hide(item, fields);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const field = fieldOf(fields, name);
    if (!isSecret(field)) hide(inner, keysOf(field) ?? {});
    else if (inner !== null && inner !== '') Reflect.set(value, name, mask);
  }
}
