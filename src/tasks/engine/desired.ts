/** The desired state: state files with their references resolved, one entry per identity, grouped by target. */
import { dirname, isAbsolute, join } from 'node:path';
import { resources } from '../../api/resources.ts';
import { usage } from '../../errors.ts';
import { fileText } from '../../spec/field.ts';
import { type Resource, scopeOf } from '../../spec/resource.ts';
import { decode } from '../../support/bytes.ts';
import { suggest } from '../../support/suggest.ts';
import { identityKey, identityNames } from './changes.ts';
import { type Desired, type DesiredKind, type Entry, positionText, type Target, targetKey } from './model.ts';
import type { Reference, StateDocument } from './state-file.ts';

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
  const targets = new Map<string, { target: Target; kinds: Map<string, DesiredKind> }>();
  for (const { target: declared, at, kinds } of documents) {
    const target = override ?? declared ?? fallback;
    if (!target)
      throw usage(`${positionText(at)}: no target`, 'add project: <path>, or use --project or --group');
    const key = JSON.stringify(targetKey(target));
    const known = targets.get(key) ?? { target, kinds: new Map<string, DesiredKind>() };
    targets.set(key, known);
    for (const declaredKind of kinds) {
      const resource = await loadResource(declaredKind.kind, positionText(declaredKind.at));
      if (only && !only.includes(resource.kind)) continue;
      const calls = callsFor(resource, target, positionText(declaredKind.at));
      const entries = await declaredKind.entries(resource, (reference) =>
        resolveReference(references, reference),
      );
      const before = known.kinds.get(resource.kind);
      const all = [...(before?.entries ?? []), ...entries];
      checkIdentities(resource, all);
      known.kinds.set(resource.kind, { resource, calls, entries: all });
    }
  }
  return [...targets.values()].map(({ target, kinds }) => ({ target, kinds: [...kinds.values()] }));
}

/** @throws Failure `usage` for a kind that does not exist */
export async function loadResource(kind: string, at?: string): Promise<Resource> {
  const load = Object.hasOwn(resources, kind) ? resources[kind] : undefined;
  if (load) return load();
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
    if (other)
      throw usage(
        `${positionText(entry.at)}: duplicate of the ${resource.noun} at ${positionText(other.at)}`,
      );
    seen.set(key, entry);
  }
}
