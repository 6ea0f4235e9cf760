/** The flags that may precede or follow `--` of `svc each`. */
import { usage } from '../../errors.ts';
import { hasMark } from '../../support/literal.ts';
import { allFlags, type Options, optionName } from '../argv/flags.ts';
import type { CommandLine } from '../argv/parse.ts';

/**
 * Move the flags that all targets share from the command to `svc each`.
 * @param own the flags that the command declares itself, which are not shared
 * @throws Failure `usage` for a flag on both sides, with a placeholder, or that cannot be used
 */
export function withSharedOptions(
  line: CommandLine,
  inner: CommandLine,
  own: ReadonlySet<string>,
): CommandLine {
  const options: Record<string, unknown> = { ...line.options };
  const given = new Map<string, unknown>(Object.entries(inner.options));
  for (const [flag, { each }] of allFlags) {
    const name = optionName(flag);
    const value = given.get(name);
    if (value === undefined || each === 'target') continue;
    if (each === 'never') throw usage(`svc each does not accept --${flag} after --`);
    if (own.has(flag)) continue;
    if (options[name] !== undefined) throw usage(`--${flag} is given before and after --`, 'use it once');
    if (typeof value === 'string' && hasMark(value)) throw usage(`--${flag} cannot contain a placeholder`);
    options[name] = value;
  }
  return { ...line, options: options as Options };
}

/** The options for the command line of one target: its own, and those of `svc each`. */
export function targetOptions(shared: Options, own: Options): Options {
  // Results are collected as JSON, and the confirmation was given for all targets.
  const { output: _, json: __, csv: ___, ...others } = shared;
  return { ...others, ...own, yes: true, noInput: true };
}
