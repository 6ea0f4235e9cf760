import * as fc from 'fast-check';

/** Often close to 16 digits, beyond which a double loses precision. */
const digits = fc.oneof(
  fc.stringMatching(/^(0|[1-9][0-9]{0,22})$/),
  fc.stringMatching(/^[1-9][0-9]{13,16}$/),
);

/** The text of any JSON number (RFC 8259 section 6), including numbers that a double cannot represent. */
export const numberText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '-'),
    digits,
    fc.option(fc.stringMatching(/^[0-9]{1,9}$/), { nil: undefined }),
    fc.option(fc.stringMatching(/^[eE][+-]?[0-9]{1,2}$/), { nil: '' }),
  )
  .map(([sign, whole, fraction, exponent]) =>
    [sign, whole, fraction === undefined ? '' : `.${fraction}`, exponent].join(''),
  );

const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);
const text = fc.string({ unit: 'binary', maxLength: 12 }).map((value) => JSON.stringify(value));

/** Any JSON text, nested, with or without white space between tokens. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    numberText,
    text,
    fc.constantFrom('true', 'false', 'null', '{}', '[]', '"\\u00e9\\/\\n"', '"[{\\"}]\\\\"'),
    fc
      .tuple(space, fc.array(tie('value'), { maxLength: 4 }))
      .map(([gap, items]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
    fc.tuple(space, fc.array(fc.tuple(text, tie('value')), { maxLength: 4 })).map(([gap, members]) => {
      const pairs = members.map(([key, value]) => `${key}${gap}:${gap}${value}`);
      return `{${gap}${pairs.join(`${gap},${gap}`)}${gap}}`;
    }),
  ),
})).value;

/** Removes white space between tokens: a slow, independent implementation. */
export function squeezed(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, '$1');
}
