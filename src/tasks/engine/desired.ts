/** The desired state: state files with their references resolved, one entry per identity, grouped by target. */
import { dirname, isAbsolute, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { resources } from '../../api/resources.ts';
import { usage } from '../../errors.ts';
import { fileText } from '../../spec/field.ts';
import { type Resource, scopeOf } from '../../spec/resource.ts';
import { decode } from '../../support/bytes.ts';
import { suggest } from '../../support/suggest.ts';
import type { TaskContext } from '../context.ts';
import { type CompareOptions, duplicate, identityKey, identityNames } from './changes.ts';
import { type ManagedResource, withCodec } from './codecs.ts';
import { type Desired, type DesiredKind, type Entry, positionText, type Target, targetKey } from './model.ts';
import type { Reference, StateDocument } from './state-file.ts';
import { identitiesOf } from './targets.ts';

/** Where references are resolved. */
export interface References {
  env(name: string): string | undefined;
  /** Read a file. @throws Failure `usage` */
  read(path: string): Promise<Uint8Array>;
}

/** @throws Failure `usage` if the variable or the file is missing */
export async function resolveReference(
  references: References,
  { from, name, field, at }: Reference,
): Promise<string> {
  if (from === 'env') {
    const value = references.env(name);
    if (value === undefined) throw usage(`${positionText(at)}: the environment variable ${name} is not set`);
    return value;
  }
  const path = at.file === '-' || isAbsolute(name) ? name : join(dirname(at.file), name);
  let bytes: Uint8Array;
  try {
    bytes = await references.read(path);
  } catch (error) {
    throw usage(`${positionText(at)}: ${error instanceof Error ? error.message : `cannot read ${path}`}`);
  }
  const text = decode(bytes);
  if (text === undefined) throw usage(`${positionText(at)}: ${path} is not UTF-8 text`);
  return fileText(text, field);
}

/**
 * Build the desired state.
 * @param override the target of the command line, which replaces that of a document
 * @param fallback the target of the settings, for a document without one
 * @param only the kinds to keep; by default all
 */
export async function desiredState(
  documents: readonly StateDocument[],
  references: References,
  scopes: { readonly override?: Target | undefined; readonly fallback?: Target | undefined },
  only?: readonly string[],
): Promise<Desired[]> {
  const { override, fallback } = scopes;
  const named = new Set(documents.map(({ target }) => JSON.stringify(target ?? null)));
  if (override && named.size > 1)
    throw usage(
      '--project and --group replace the target of one document, but the files name several targets',
    );
  const targets = new Map<string, Desired>();
  for (const { target: declared, at, kinds } of documents) {
    const target = override ?? declared ?? fallback;
    if (!target)
      throw usage(`${positionText(at)}: no target`, 'add project: <path>, or use --project or --group');
    const key = JSON.stringify(targetKey(target));
    let known = targets.get(key) ?? { target, kinds: [] };
    for (const declaredKind of kinds) {
      const resource = await loadResource(declaredKind.kind, positionText(declaredKind.at));
      if (only && !only.includes(resource.kind)) continue;
      const calls = callsFor(resource, target, positionText(declaredKind.at));
      const entries = await declaredKind.entries(resource, (reference) =>
        resolveReference(references, reference),
      );
      known = withKind(known, { resource, calls, entries });
    }
    targets.set(key, known);
  }
  return [...targets.values()];
}

/** Add the entries of a kind. @throws Failure `usage` for two entries with one identity */
function withKind({ target, kinds }: Desired, added: DesiredKind): Desired {
  const known = new Map(kinds.map((kind) => [kind.resource, kind]));
  const entries = [...(known.get(added.resource)?.entries ?? []), ...added.entries];
  checkIdentities(added.resource, entries);
  return { target, kinds: [...known.set(added.resource, { ...added, entries }).values()] };
}

/**
 * Merge targets that are the same project or group under different names. Equal entries count once.
 * @throws Failure `usage` for entries that contradict each other, and before a deletion of what another document may declare
 */
export async function mergeTargets(
  task: TaskContext,
  desired: readonly Desired[],
  { prune }: CompareOptions,
): Promise<Desired[]> {
  const targets = desired.map(({ target }) => target);
  const identities = await identitiesOf(task, targets);
  const unknown = targets.find((_, at) => identities[at] === undefined);
  const other = targets.find(({ scope, id }) => scope === unknown?.scope && id !== unknown.id);
  if (unknown && other) {
    const message = `cannot tell whether ${other.id} and ${unknown.id} are the same ${unknown.scope}`;
    if (prune) throw usage(`${message}, as --prune requires`, 'apply each document with its own command');
    task.warn(message);
  }
  const merged = new Map<string, Desired>();
  for (const [at, { target, kinds }] of desired.entries()) {
    const identity = identities[at] ?? JSON.stringify(targetKey(target));
    const first = merged.get(identity) ?? { target, kinds: [] };
    if (first.target !== target)
      task.note(`${first.target.id} and ${target.id} are the same ${target.scope}`);
    const added = kinds.map((kind) => {
      const known = first.kinds.find(({ resource }) => resource === kind.resource)?.entries ?? [];
      const isKnown = ({ attributes }: Entry) =>
        known.some((other) => isDeepStrictEqual(other.attributes, attributes));
      return { ...kind, entries: kind.entries.filter((entry) => !isKnown(entry)) };
    });
    merged.set(identity, added.reduce(withKind, first));
  }
  return [...merged.values()];
}

/** @throws Failure `usage` for a kind that does not exist */
export async function loadResource(kind: string, at?: string): Promise<ManagedResource> {
  const load = Object.hasOwn(resources, kind) ? resources[kind] : undefined;
  if (load) return withCodec(await load());
  const known = Object.keys(resources);
  throw usage(`${at === undefined ? '' : `${at}: `}unknown kind ${JSON.stringify(kind)}`, [
    ...suggest(kind, known),
    `kinds: ${known.join(', ')}`,
  ]);
}

function callsFor(resource: Resource, target: Target, at: string) {
  const calls = resource.calls.find((one) => scopeOf(one) === target.scope);
  if (calls) return calls;
  const scopes = resource.calls.map(scopeOf).join(' or ');
  throw usage(`${at}: ${resource.kind} belong to a ${scopes}, not to a ${target.scope}`);
}

/** @throws Failure `usage` for an entry without an identity, or with that of another */
function checkIdentities(resource: Resource, entries: readonly Entry[]): void {
  if (resource.identity.length === 0) {
    const [first, second] = entries;
    if (first && second)
      throw usage(
        `${positionText(second.at)}: ${resource.kind} is already declared at ${positionText(first.at)}`,
      );
    return;
  }
  const seen = new Map<string, Entry>();
  for (const entry of entries) {
    const names = identityNames(resource, entry.attributes);
    if (!names) {
      const ways = resource.identity.map((set) => set.join(' and ')).join(', or ');
      throw usage(`${positionText(entry.at)}: a ${resource.noun} requires ${ways}`);
    }
    const key = identityKey(resource, names, entry.attributes);
    const other = seen.get(key);
    if (other) throw duplicate(resource, entry, other);
    seen.set(key, entry);
  }
}
