/** Read state files: YAML 1.2 or JSON, one target per document. Every error has a file, a line and a column. */
import { isMap, isScalar, isSeq, LineCounter, type Node, Scalar, type YAMLMap } from 'yaml';
import { check } from '../../spec/check.ts';
import { type Field, type Fields, fieldOf, itemOf, keysOf } from '../../spec/field.ts';
import {
  isSingleton,
  type Resource,
  type Row,
  type TargetScope,
  targetScopes,
  withDefaults,
} from '../../spec/resource.ts';
import { suggest } from '../../support/suggest.ts';
import type { Entry, Position, Target } from './model.ts';
import { failAt, mapOf, pairsOf, parseYaml, positionOf, resolveAlias, type Source } from './yaml.ts';

/** A value that is kept outside the state file. */
export interface Reference {
  readonly from: 'env' | 'file';
  readonly name: string;
  readonly field: Field;
  readonly at: Position;
}

/** Resolves the references of state files. @throws Failure `usage` without a position */
export type Resolve = (reference: Reference) => Promise<string>;

/** The entries of one kind, before the kind is known to exist. */
export interface DeclaredKind {
  readonly kind: string;
  readonly at: Position;
  /** Read the entries once the resource of the kind is loaded. */
  entries(resource: Resource, resolve: Resolve): Promise<Entry[]>;
}

export interface StateDocument {
  readonly target?: Target;
  /** The place of the target, or else of the document. */
  readonly at: Position;
  readonly kinds: readonly DeclaredKind[];
}

/**
 * Parse a state file.
 * @param file the name for errors
 * @throws Failure `usage` with the position of the error
 */
export function parseStateFile(file: string, text: string): StateDocument[] {
  return readSources(file, text).map(readDocument);
}

/**
 * Parse the documents of a file.
 * @throws Failure `usage` for a syntax error, or if there is none
 */
export function readSources(file: string, text: string): Source[] {
  const documents = parseYaml(file, text, new LineCounter());
  if (documents.length === 0) throw failAt({ file, line: 1, column: 1 }, 'the file is empty');
  const isJson = isJsonText(text);
  return documents.map((document) => ({ ...document, isJson }));
}

/**
 * Parse a JSON list of rows as the service returns them. Attributes that are null or unknown do not count.
 * @throws Failure `usage` with the position of the error
 */
export function parseRowsFile(file: string, text: string, kind: string): StateDocument[] {
  const [document, other] = parseYaml(file, text, new LineCounter());
  if (!document) throw failAt({ file, line: 1, column: 1 }, 'the file is empty');
  const source: Source = { ...document, isJson: true, isLenient: true };
  if (other) throw failAt(positionOf(source, other.document.contents as Node), 'expected one JSON list');
  const root = document.document.contents as Node | null;
  const at = positionOf(source, root);
  return [
    {
      at,
      kinds: [{ kind, at, entries: (resource, resolve) => readKind(source, resource, root, at, resolve) }],
    },
  ];
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** @throws Failure `usage` with the position of the error */
export function readDocument(source: Source): StateDocument {
  const root = mapOf(source, source.document.contents as Node | null, 'a state file must be a mapping');
  const at = positionOf(source, root);
  let version: unknown;
  let target: Target | undefined;
  let targetAt = at;
  const kinds: DeclaredKind[] = [];
  for (const [name, key, value] of pairsOf(source, root)) {
    const keyAt = positionOf(source, key);
    if (name === 'svc') version = isScalar(value) ? value.value : undefined;
    else if (isScope(name)) {
      if (target) throw failAt(keyAt, 'a document has only one of project, group and instance');
      target = { scope: name, id: targetId(source, name, value, keyAt) };
      targetAt = value ? positionOf(source, value) : keyAt;
    } else
      kinds.push({
        kind: name,
        at: keyAt,
        entries: (resource, resolve) => readKind(source, resource, value, keyAt, resolve),
      });
  }
  if (version !== 1)
    throw failAt(at, version === undefined ? 'svc: 1 is missing' : 'unsupported format version', [
      'the first line of a state file is svc: 1',
    ]);
  return { ...(target ? { target } : {}), at: targetAt, kinds };
}

function isScope(name: string): name is TargetScope {
  return targetScopes.some((scope) => scope === name);
}

function targetId(source: Source, scope: TargetScope, value: Node | null, at: Position): string {
  const typed = isScalar(value) ? value.value : undefined;
  if (scope === 'instance') {
    if (typed === true) return '';
    throw failAt(at, 'instance must be true');
  }
  const id = isScalar(value) ? (value.source ?? String(value.value)) : '';
  if (id === '' || typed === null)
    throw failAt(positionOf(source, value), `${scope} must be an id or a path`);
  return id;
}

/** Read the entries of a kind: a list of mappings, or one mapping for a kind that exists once per scope. */
async function readKind(
  source: Source,
  resource: Resource,
  value: Node | null,
  at: Position,
  resolve: Resolve,
): Promise<Entry[]> {
  const { kind, identity } = resource;
  if (identity.length === 0) return [await readEntry(source, resource, value, resolve)];
  if (!isSeq(value)) throw failAt(at, `${kind} must be a list`, [`for none, use ${kind}: []`]);
  const entries: Entry[] = [];
  for (const item of value.items)
    entries.push(await readEntry(source, resource, resolveAlias(source, item as Node | null), resolve));
  return entries;
}

async function readEntry(
  source: Source,
  resource: Resource,
  node: Node | null,
  resolve: Resolve,
): Promise<Entry> {
  const { kind, attributes: fields, noun } = resource;
  const subject = isSingleton(resource) ? kind : `each of ${kind}`;
  const map = mapOf(source, node, `${subject} must be a mapping`);
  const at = positionOf(source, map);
  const secrets = new Set<string>();
  const noted: Resolve = async (reference) => {
    const text = await resolve(reference);
    secrets.add(text);
    return text;
  };
  const attributes = await readAttributes({ ...source, at }, pairsOf(source, map), fields, noun, noted);
  return { attributes: withDefaults(resource, attributes), at, secrets };
}

/**
 * Read and validate the attributes of an entry.
 * @param source with the position of the entry
 * @param noun of the resource, for errors
 * @throws Failure `usage` with the position of the error
 */
export async function readAttributes(
  source: Source & { readonly at: Position },
  pairs: ReturnType<typeof pairsOf>,
  fields: Fields,
  noun: string,
  resolve: Resolve,
): Promise<Row> {
  const places = new Map<string, Position>();
  const given: Record<string, unknown> = {};
  for (const [name, key, value] of pairs) {
    const field = fieldOf(fields, name);
    const keyAt = positionOf(source, key);
    if (source.isLenient && (!field || (isScalar(value) && value.value === null))) continue;
    if (!field)
      throw failAt(keyAt, `unknown attribute ${JSON.stringify(name)} of a ${noun}`, [
        ...suggest(name, Object.keys(fields)),
        `attributes: ${Object.keys(fields).join(', ')}`,
      ]);
    places.set(name, value ? positionOf(source, value) : keyAt);
    given[name] = await readValue(source, field, value, resolve, keyAt);
  }
  const { values, problems } = check(fields, given);
  const [problem] = problems;
  if (problem) {
    const { path, message } = problem;
    throw failAt(places.get(path[0] ?? '') ?? source.at, `${path.join('.')} ${message}`);
  }
  return values;
}

/** Read a value as its field expects it. Unquoted text is taken as written. */
async function readValue(
  source: Source,
  field: Field,
  node: Node | null,
  resolve: Resolve,
  at: Position,
): Promise<unknown> {
  const found = resolveAlias(source, node);
  if (isMap(found)) {
    const reference = field.kind === 'text' ? referenceOf(source, found, field) : undefined;
    if (reference) return resolve(reference);
    return readMap(source, keysOf(itemOf(field)), found, resolve);
  }
  if (isSeq(found)) {
    const item = field.kind === 'list' ? field.of : field;
    const values: unknown[] = [];
    for (const one of found.items)
      values.push(await readValue(source, item, one as Node | null, resolve, at));
    return values;
  }
  if (!isScalar(found)) return null;
  return readScalar(source, field, found, at);
}

function readScalar({ isJson }: Source, field: Field, scalar: Scalar, at: Position): unknown {
  const isText = ['text', 'int', 'number', 'date', 'datetime'].includes(itemOf(field).kind);
  if (scalar.value === null && (field.nullable || isJson)) return null;
  if (!isText || scalar.type !== Scalar.PLAIN || (isJson && scalar.value === null)) return scalar.value;
  if (scalar.source === '') throw failAt(at, 'the value is missing', ['for empty text, use ""']);
  return scalar.source ?? scalar.value;
}

async function readMap(
  source: Source,
  fields: Fields | undefined,
  map: YAMLMap,
  resolve: Resolve,
): Promise<Row> {
  const read: Record<string, unknown> = Object.create(null);
  for (const [name, key, value] of pairsOf(source, map)) {
    const field = (fields && fieldOf(fields, name)) ?? { kind: 'hash', doc: '' };
    read[name] = await readValue(source, field, value, resolve, positionOf(source, key));
  }
  return { ...read };
}

/** `{ env: NAME }` or `{ file: path }`. */
function referenceOf(source: Source, map: YAMLMap, field: Field): Reference | undefined {
  const pairs = pairsOf(source, map);
  const [[name, , value] = ['', null, null]] = pairs;
  const at = positionOf(source, map);
  if (pairs.length !== 1 || (name !== 'env' && name !== 'file') || !isScalar(value))
    throw failAt(at, 'expected text, { env: NAME } or { file: path }');
  return { from: name, name: value.source ?? String(value.value), field, at };
}
