/**
 * Placeholders in the words of a command line. They are filled in after the line is read, so that no value is read as a flag, `@file`,
 * `-` or a separator. Lone surrogates enclose the number of a placeholder: an argument of a process contains none.
 */
const reference = /\udbff(\d+)\udbfe/g;

/** Returns a text with values in place of its placeholders. */
export type Fill = (text: string) => string;

export const placeholder = (number: number): string => `\udbff${number}\udbfe`;

export const hasPlaceholder = (text: string): boolean => text.search(reference) >= 0;

/** The texts around placeholders, and between them the placeholders. */
export const splitAtPlaceholders = (text: string): string[] => text.split(/(\udbff\d+\udbfe)/);

/** Fill in values by the numbers of their placeholders. */
export function fillFrom(values: readonly string[]): Fill {
  return (text) => text.replace(reference, (_, number: string) => values[Number(number)] ?? '');
}

/** Fill in every text of a value and the keys of its objects. Without `fill` it has no placeholders. */
export function filled<T>(value: T, fill: Fill | undefined): T;
export function filled(value: unknown, fill: Fill | undefined): unknown {
  if (!fill || value === null) return value;
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((one) => filled(one, fill));
  if (typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [fill(key), filled(one, fill)]));
}
