/** Flags of the program, as opposed to parameters of the API. The value of a flag is a field; a switch has none. */
import { usage } from '../errors.ts';
import { quotedWord } from '../support/mask.ts';
import { momentPattern, numberText, parseMoment, parseNumber } from '../support/number.ts';
import { alternatives } from '../support/suggest.ts';
import type { Field, NumberField, TextField } from './field.ts';

export type FlagGroup = 'body' | 'pagination' | 'output' | 'connection' | 'other';

interface Switch {
  readonly kind?: undefined;
}
type Part<F extends Field> = Omit<F, 'required' | 'doc'>;

interface Traits {
  readonly doc: string;
  readonly short?: string;
  /** The value may be omitted: `--watch`. */
  readonly optional?: true;
  /** May be given several times. */
  readonly repeats?: true;
  /** Must be given. The text is the hint of the error without it: `for example: --to acme/rocket`. */
  readonly required?: string;
  /** Names a file that the command writes, one for each target of `svc each`. */
  readonly writes?: true;
  /** The path of a file or folder that is written beside the result, so `-`, which is standard output, is an error. */
  readonly besides?: true;
  /** Listed on the default help page. `--help --all` lists every flag. */
  readonly common?: boolean;
  /** The default is `other`. */
  readonly group?: FlagGroup;
}

export type FlagSpec = Traits & (Switch | Part<TextField> | Omit<Part<NumberField>, 'choices'>);
export type FlagSpecs = Readonly<Record<string, FlagSpec>>;

type More<F extends Field> = Omit<Traits, 'doc'> & Omit<Part<F>, 'kind'>;

/** A flag whose value is text. Its limits type the option. */
export const textFlag = <const M extends More<TextField>>(doc: string, more = {} as M) =>
  ({ kind: 'text', doc, ...more }) as const;
/** The value of a flag that names a file to write beside the result. */
export const newFile = { suggest: 'path', besides: true } as const;
/** A flag whose value is a duration before now or a time. */
export const momentFlag = (doc: string) =>
  textFlag(doc, {
    placeholder: 'time',
    pattern: { test: momentPattern, message: 'must be a duration such as 2h, or a time such as 2026-11-01' },
  });
/** The milliseconds since the epoch of the value of such a flag. @throws Failure `usage` for a time that does not exist */
export function momentOf(text: string | undefined, now: number, flag: string): number | undefined {
  const time = text === undefined ? undefined : parseMoment(text, now);
  if (text !== undefined && time === undefined) throw usage(`--${flag}: there is no such time: ${text}`);
  return time;
}
const numeric =
  <K extends NumberField['kind']>(kind: K) =>
  <const M extends More<NumberField>>(doc: string, more = {} as M) => ({ kind, doc, ...more });
export const intFlag = numeric('int');
export const numberFlag = numeric('number');
export const secondsFlag = (doc: string, limits: Pick<NumberField, 'min' | 'max' | 'default'>) =>
  numberFlag(doc, { unit: 'seconds', ...limits });

export type ProgramFlag = FlagSpec & {
  /** Without dashes: `output`, `no-header`. */
  readonly name: string;
  readonly group: FlagGroup;
};

type Camel<N extends string> = N extends `${infer A}-${infer B}` ? `${A}${Capitalize<Camel<B>>}` : N;
type Given<F extends FlagSpec> = F extends { readonly kind: 'int' | 'number' }
  ? number
  : F extends { readonly choices: readonly (infer C)[] }
    ? C
    : F extends { readonly kind: 'text' }
      ? string
      : true;
type ValueOf<F extends FlagSpec> = F extends { readonly optional: true } ? Given<F> | true : Given<F>;

type Needed = { readonly required: string };

/** The options of flags, in camel case: `dryRun` for `dry-run`. */
export type OptionsOf<F extends FlagSpecs> = {
  readonly [N in keyof F & string as F[N] extends Needed ? never : Camel<N>]?: ValueOf<F[N]> | undefined;
} & {
  readonly [N in keyof F & string as F[N] extends Needed ? Camel<N> : never]: ValueOf<F[N]>;
};

/** The field of the value of a flag; undefined for a switch. */
export function valueField({ required: _, ...flag }: FlagSpec): TextField | NumberField | undefined {
  return flag.kind === undefined ? undefined : flag;
}

export const isFreeText = (flag: FlagSpec): boolean =>
  flag.kind === 'text' && flag.choices === undefined && flag.pattern === undefined;

/**
 * Read the value of a flag or a setting.
 * @param what the flag or the setting, for errors
 * @throws Failure `usage`
 */
export function readFlagValue(flag: FlagSpec, word: string, what: string): string | number {
  if (flag.kind === 'int' || flag.kind === 'number') {
    const number = parseNumber(word, flag);
    if (number !== undefined) return number;
    throw usage(`${what} must be ${numberText(flag)}, not ${quotedWord(word)}`);
  }
  if (flag.besides && ['', '-'].includes(word))
    throw usage(`${what} requires a path, not ${quotedWord(word)}`);
  const { choices, pattern } = flag.kind === 'text' ? flag : {};
  if (pattern && !pattern.test.test(word)) throw usage(`${what} ${pattern.message}, not ${quotedWord(word)}`);
  if (!choices || choices.includes(word)) return word;
  throw usage(`${what}: unknown value ${quotedWord(word)}`, alternatives(word, choices, 'values'));
}
