import fc from 'fast-check';
import { it } from 'vitest';
import { masked } from '../../src/spec/mask.ts';

it('hides a secret name at any depth', () => {
  const hushed = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant({ private_token: 'hush' }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 3 }),
    ),
  })).value;
  fc.assert(fc.property(hushed, (value) => !JSON.stringify(masked(value)).includes('hush')));
});
