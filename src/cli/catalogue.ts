/** Everything that the documentation covers, loaded. */
import { areas } from '../api/index.ts';
import { settingDocs } from '../config/setting-table.ts';
import type { Catalogue, Program } from '../docs/model.ts';
import type { Resource } from '../spec/resource.ts';
import { loadArea } from './areas.ts';
import { listFlags, programFlags } from './argv/flags.ts';
import { builtins, loadBuiltin } from './builtin/index.ts';
import { exitCodes, exitMeanings } from './exit-codes.ts';

export const program: Program = { exitCodes, exitMeanings, settings: settingDocs() };

/** Load every area and every command of the program. */
export async function loadCatalogue() {
  return {
    ...program,
    areas: await Promise.all(areas.map(loadArea)),
    builtins: await Promise.all(builtins.map(loadBuiltin)),
    resources: await loadResources(),
    programFlags: listFlags(programFlags),
  } satisfies Catalogue;
}

export async function loadResources(): Promise<Resource[]> {
  const { resources } = await import('../api/resources.ts');
  return Promise.all(Object.values(resources).map((load) => load()));
}
