/** The desired state: state files with their references resolved, one entry per identity, grouped by target. */
import { isDeepStrictEqual } from 'node:util';
import { resources } from '../../api/resources.ts';
import { usage } from '../../errors.ts';
import { withArticle } from '../../spec/names.ts';
import {
  type Resource,
  type ResourceCalls,
  scopeOf,
  type TargetScope,
  takenAttributes,
  targetScopes,
} from '../../spec/resource.ts';
import { suggest } from '../../support/suggest.ts';
import type { ChosenTarget } from '../context.ts';
import { duplicate, identityKey, identityOf } from './changes.ts';
import { type ManagedResource, withCodec } from './codecs.ts';
import { type Desired, type Entry, type Position, positionText, targetKey } from './model.ts';
import { type ReadEntry, type References, readKind, type StateDocument } from './state-file.ts';
import { failAt } from './yaml.ts';

/**
 * Build the desired state.
 * @param chosen the target of the command line, which replaces that of a document, or of the settings, for a document without one
 * @param only the kinds to keep; by default all
 * @throws Failure `usage` with the position of the error
 */
export async function desiredState(
  documents: readonly StateDocument[],
  references: References,
  chosen?: ChosenTarget,
  only?: readonly string[],
): Promise<Desired[]> {
  const named = new Set(documents.map(({ target }) => JSON.stringify(target ?? null)));
  if (chosen?.isFlag && named.size > 1)
    throw usage(
      '--project and --group replace the target of one document, but the files name several targets',
    );
  const desired: Desired[] = [];
  for (const { target: declared, at, kinds } of documents) {
    const target = chosen?.isFlag ? chosen : (declared ?? chosen);
    if (!target) throw failAt(at, 'no target', ['add project: <path>, or use --project or --group']);
    desired.push({ target, kinds: [] });
    for (const kind of kinds) {
      const resource = await loadResource(kind.name, kind.at);
      if (only && !only.includes(resource.kind)) continue;
      const calls = resource.calls.find((one) => scopeOf(one) === target.scope);
      if (!calls) throw failAt(kind.at, `${placesOf(resource)}, not to ${nounOf(target.scope)}`);
      const declared = await readKind(kind, resource, references);
      checkScope(resource, calls, [...declared.entries, ...declared.absent]);
      desired.push({ target, kinds: [{ resource, calls, ...declared }] });
    }
  }
  return merged(desired, ({ target }) => JSON.stringify(targetKey(target)));
}

/**
 * Merge what is declared for one target. Documents that name it differently may repeat an entry.
 * @param keyOf returns the same text for the same target
 * @throws Failure `usage` for two entries with one identity
 */
export function merged(desired: readonly Desired[], keyOf: (one: Desired) => string): Desired[] {
  const targets = new Map<string, Desired>();
  for (const one of desired) {
    const { target, kinds } = targets.get(keyOf(one)) ?? { target: one.target, kinds: [] };
    const all = new Map(kinds.map((kind) => [kind.resource, kind]));
    for (const { entries, ...kind } of one.kinds) {
      const other = all.get(kind.resource);
      const known = other?.entries ?? [];
      const isRepeated = ({ attributes }: Entry) =>
        target.id !== one.target.id && known.some((same) => isDeepStrictEqual(same.attributes, attributes));
      const both = [...known, ...entries.filter((entry) => !isRepeated(entry))];
      checkIdentities(kind.resource, both);
      all.set(kind.resource, {
        ...kind,
        entries: both,
        absent: [...(other?.absent ?? []), ...(kind.absent ?? [])],
        isOpen: kind.isOpen === true && (other?.isOpen ?? true),
      });
    }
    targets.set(keyOf(one), { target, kinds: [...all.values()] });
  }
  return [...targets.values()];
}

/** @throws Failure `usage` for a kind that does not exist */
export async function loadResource(kind: string, at?: Position): Promise<ManagedResource> {
  const load = Object.hasOwn(resources, kind) ? resources[kind] : undefined;
  if (load) return withCodec(await load());
  const kinds = Object.keys(resources);
  // In a state file, the word can also be meant as a target.
  const hints = [...suggest(kind, at ? [...targetScopes, ...kinds] : kinds), `kinds: ${kinds.join(', ')}`];
  throw usage(`${at ? `${positionText(at)}: ` : ''}unknown kind ${JSON.stringify(kind)}`, hints);
}

const nounOf = (scope: TargetScope): string => (scope === 'instance' ? 'the instance' : `a ${scope}`);

/** `badges belong to a project or a group` */
const placesOf = ({ kind, calls }: Resource): string =>
  `${kind} ${kind.endsWith('s') ? 'belong' : 'belongs'} to ${calls.map((one) => nounOf(scopeOf(one))).join(' or ')}`;

/** The kinds of a scope: those named, or all. @throws Failure `usage` */
export async function kindsOf(names: readonly string[], scope: TargetScope) {
  const kinds = names.length > 0 ? [...new Set(names)] : Object.keys(resources);
  const chosen = await Promise.all(kinds.map((kind) => loadResource(kind)));
  return chosen.flatMap((resource) => {
    const calls = resource.calls.find((one) => scopeOf(one) === scope);
    if (calls || names.length === 0) return calls ? [{ resource, calls }] : [];
    throw usage(`${nounOf(scope)} has no ${resource.kind}`, placesOf(resource));
  });
}

/** @throws Failure `usage` for an attribute that only exists in another scope */
function checkScope({ kind, calls }: Resource, own: ResourceCalls, entries: readonly ReadEntry[]): void {
  const taken = takenAttributes([own]);
  const elsewhere = Object.keys(takenAttributes(calls)).filter((name) => !(name in taken));
  for (const { attributes, placeOf } of entries)
    for (const name of elsewhere)
      if (attributes[name] !== undefined)
        throw failAt(placeOf([name]), `${kind} of ${nounOf(scopeOf(own))} have no ${name}`);
}

function checkIdentities(resource: Resource, entries: readonly Entry[]): void {
  const seen = new Map<string, Entry>();
  for (const entry of entries) {
    const identity = identityOf(resource, entry.attributes);
    if (!identity) {
      const ways = resource.identity.map((set) => set.join(' and ')).join(', or ');
      throw failAt(entry.at, `${withArticle(resource.noun)} requires ${ways}`);
    }
    const key = identityKey(resource, identity);
    const other = seen.get(key);
    if (other) throw duplicate(resource, entry, other);
    seen.set(key, entry);
  }
}
