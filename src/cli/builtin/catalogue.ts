/** What `docs` writes about: every area, every command of `svc` itself, and what the program says of them. */
import { areas } from '../../api/index.ts';
import type { Builtin, Catalogue, Program } from '../../docs/model.ts';
import { flagsOf } from '../argv/command.ts';
import { globalFlags } from '../argv/flags.ts';
import { loadArea } from '../dispatch.ts';
import { exitCodes, exitMeanings } from '../exit-codes.ts';
import { type BuiltinEntry, builtins } from './index.ts';

/** What the program has beside the catalogue of the API. */
export const program: Program = { flagsOf, exitCodes, exitMeanings };

/** The builtins that pages and shells show, not loaded yet. */
export const shownBuiltins: readonly BuiltinEntry[] = builtins.filter(({ hidden }) => !hidden);

/** Load a builtin as pages want it. */
export async function describeBuiltin({ name, summary, load }: BuiltinEntry): Promise<Builtin> {
  const { doc, commands } = (await load()).default;
  return { name, summary, ...(doc === undefined ? {} : { doc }), commands };
}

/** Load everything: for the manual, the reference and completion. */
export async function loadCatalogue(): Promise<Catalogue> {
  return {
    ...program,
    areas: await Promise.all(areas.map(async (entry) => ({ entry, area: await loadArea(entry) }))),
    builtins: await Promise.all(shownBuiltins.map(describeBuiltin)),
    globals: globalFlags,
  };
}
