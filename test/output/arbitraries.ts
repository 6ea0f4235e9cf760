import * as fc from 'fast-check';

/** Often near the sixteen digits at which a double begins to lose some. */
const digits = fc.oneof(
  fc.stringMatching(/^(0|[1-9][0-9]{0,22})$/),
  fc.stringMatching(/^[1-9][0-9]{13,16}$/),
);

/** The text of any JSON number (RFC 8259 section 6), also of those that no double holds. */
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

/** JSON text of any kind, nested, with white space between tokens or none. */
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

/** JSON text with the white space between its tokens dropped, and nothing else changed: an independent, slow way. */
export function squeezed(json: string): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, '$1');
}
