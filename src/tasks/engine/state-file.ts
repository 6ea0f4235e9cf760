/** Read state files: YAML 1.2 or JSON, one target per document. Every error is a Failure `usage` with a file, a line and a column. */
import { dirname, isAbsolute, join } from 'node:path';
import { isMap, isScalar, isSeq, Scalar, type YAMLMap } from 'yaml';
import { type Field, type Fields, fieldOf, fileText, hasSecret, itemOf, keysOf } from '../../spec/field.ts';
import { withArticle } from '../../spec/names.ts';
import {
  isSingleton,
  type Resource,
  type Row,
  type Target,
  type TargetScope,
  targetScopes,
  withDefaults,
} from '../../spec/resource.ts';
import { check } from '../../spec/schema.ts';
import { decode } from '../../support/bytes.ts';
import { alternatives } from '../../support/suggest.ts';
import type { Position } from './model.ts';
import { failAt, mapOf, type Pair, pairsOf, parseYaml, positionOf, type Source } from './yaml.ts';

/** Values that are kept outside the state file. */
export interface References {
  env(name: string): string | undefined;
  /** Read a file. @throws Failure `usage` */
  read(path: string): Promise<Uint8Array>;
}

/** A kind of a document, before it is known to exist. */
interface DeclaredKind extends Pair {
  readonly source: Source;
}

export interface StateDocument {
  readonly target?: Target | undefined;
  /** The place of the target, or else of the document. */
  readonly at: Position;
  readonly kinds: readonly DeclaredKind[];
}

/** Parse a state file. @param file the name for errors */
export function parseStateFile(file: string, text: string): StateDocument[] {
  return parseYaml(file, text).map(readDocument);
}

/** Parse a JSON list of rows as the service returns them. Attributes that are null or unknown do not count. */
export function parseRowsFile(file: string, text: string, kind: string): StateDocument[] {
  return parseYaml(file, text).map((parsed) => {
    const source: Source = { ...parsed, isJson: true, isLenient: true };
    const at = positionOf(source, source.root);
    return { at, kinds: [{ name: kind, at, value: source.root, source }] };
  });
}

export const isScope = (name: string): name is TargetScope => targetScopes.some((scope) => scope === name);

export function readDocument(source: Source): StateDocument {
  const root = mapOf(source, source.root, 'a state file must be a mapping');
  const pairs = pairsOf(source, root);
  const at = positionOf(source, root);
  const version = pairs.find(({ name }) => name === 'svc')?.value;
  if (!isScalar(version) || version.value !== 1)
    throw failAt(at, version ? 'unsupported format version' : 'svc: 1 is missing', [
      'the first line of a state file is svc: 1',
    ]);
  const [scope, another] = pairs.filter(({ name }) => isScope(name));
  if (another) throw failAt(another.at, 'a document has only one of project, group and instance');
  const kinds = pairs.flatMap((pair) =>
    pair.name === 'svc' || isScope(pair.name) ? [] : [{ ...pair, source }],
  );
  return { target: scope && targetOf(scope), at: scope ? positionOf(source, scope.value) : at, kinds };
}

function targetOf({ name, at, value }: Pair): Target {
  const typed = isScalar(value) ? value : undefined;
  if (name === 'instance') {
    if (typed?.value === true) return { scope: name, id: '' };
    throw failAt(at, 'instance must be true');
  }
  const id = typed?.source ?? String(typed?.value ?? '');
  if (id === '' || typed?.value === null) throw failAt(at, `${name} must be an id or a path`);
  return { scope: name as TargetScope, id };
}

export type ReadEntry = Awaited<ReturnType<typeof readEntry>>;

/** Read the entries of a kind: a list of mappings, or one mapping for a kind that exists once per scope. */
export async function readEntries(
  { source, name, at, value }: DeclaredKind,
  resource: Resource,
  references: References,
): Promise<ReadEntry[]> {
  if (isSingleton(resource)) return [await readEntry(source, resource, value, references)];
  if (!isSeq(value)) throw failAt(at, `${name} must be a list`, [`for none, use ${name}: []`]);
  const entries: ReadEntry[] = [];
  for (const item of value.items) entries.push(await readEntry(source, resource, item, references));
  return entries;
}

/** Read a kind: a list of entries, or a mapping with `entries`, `absent` or both. */
export async function readKind(kind: DeclaredKind, resource: Resource, references: References) {
  const { source, value } = kind;
  if (isSingleton(resource) || !isMap(value))
    return { entries: await readEntries(kind, resource, references), absent: [], isOpen: false };
  const parts = pairsOf(source, value);
  const other = parts.find(({ name }) => !['entries', 'absent'].includes(name));
  if (other || parts.length === 0)
    throw failAt(other?.at ?? kind.at, `${kind.name} must be a list, or have entries and absent`);
  const [declared, excluded] = ['entries', 'absent'].map((part) => parts.find(({ name }) => name === part));
  const read = async (part: Pair | undefined, described: Resource) =>
    part ? readEntries({ ...part, source }, described, references) : [];
  const entries = await read(declared, resource);
  const absent = await read(excluded, patternsOf(resource));
  const empty = absent.find(({ attributes }) => Object.keys(attributes).length === 0);
  if (empty) throw failAt(empty.at, 'at least one attribute is required', ['to delete all, use "**"']);
  return { entries, absent, isOpen: declared === undefined };
}

/** The resource whose entries are patterns: texts may contain `*` and `**` and have no limits. Secrets cannot be compared. */
function patternsOf(resource: Resource): Resource {
  const fields = Object.entries(resource.attributes).filter(([, field]) => !hasSecret(field));
  const loose = fields.map(([name, field]): [string, Field] => [
    name,
    field.kind === 'text' ? { kind: 'text', doc: field.doc } : field,
  ]);
  return { ...resource, identity: [[]], attributes: Object.fromEntries(loose) };
}

/** The sources of values, and the texts of references that were read. */
interface Reading extends Source {
  readonly noun: string;
  readonly references: References;
  readonly secrets: Set<string>;
}

async function readEntry(source: Source, resource: Resource, node: unknown, references: References) {
  const { kind, noun, attributes: fields } = resource;
  const subject = isSingleton(resource) ? kind : `each of ${kind}`;
  const map = mapOf(source, node, `${subject} must be a mapping`);
  const secrets = new Set<string>();
  const read = await readMap({ ...source, noun, references, secrets }, fields, map);
  /** The position of a value in it, or else of the entry. */
  const placeOf = (path: readonly string[]) =>
    positionOf(source, (map.getIn(path, true) ?? map.get(path[0], true) ?? map) as YAMLMap);
  const { values, problems } = check(fields, read);
  const [problem] = problems;
  if (problem) throw failAt(placeOf(problem.path), `${problem.path.join('.')} ${problem.message}`);
  return { attributes: withDefaults(resource, values), at: positionOf(source, map), secrets, placeOf };
}

async function readMap(reading: Reading, fields: Fields | undefined, map: YAMLMap): Promise<Row> {
  const read: [name: string, value: unknown][] = [];
  for (const { name, at, value } of pairsOf(reading, map)) {
    const field = fields ? fieldOf(fields, name) : anything;
    if (reading.isLenient && (!field || (isScalar(value) && value.value === null))) continue;
    if (!field) {
      const hints = alternatives(name, Object.keys(fields ?? {}), 'attributes');
      throw failAt(at, `unknown attribute ${JSON.stringify(name)} of ${withArticle(reading.noun)}`, hints);
    }
    read.push([name, await readValue(reading, field, value, at)]);
  }
  return Object.fromEntries(read);
}

const anything: Field = { kind: 'hash', doc: '' };

/** Read a value as its field expects it. Unquoted text is taken as written. @param at the position of its key */
async function readValue(reading: Reading, field: Field, node: unknown, at: Position): Promise<unknown> {
  if (isMap(node))
    return field.kind === 'text'
      ? readReference(reading, field, node)
      : readMap(reading, keysOf(itemOf(field)), node);
  if (isSeq(node)) {
    const values: unknown[] = [];
    for (const item of node.items)
      values.push(await readValue(reading, field.kind === 'list' ? field.of : field, item, at));
    return values;
  }
  return isScalar(node) ? readScalar(reading, field, node, at) : null;
}

const spelled: ReadonlySet<string> = new Set(['text', 'int', 'number', 'date', 'datetime']);

function readScalar({ isJson }: Source, field: Field, scalar: Scalar, at: Position): unknown {
  const { value, source, type } = scalar;
  if (value === null && (field.nullable || isJson)) return null;
  if (!spelled.has(itemOf(field).kind) || type !== Scalar.PLAIN) return value;
  if (source === '') throw failAt(at, 'the value is missing', ['for empty text, use ""']);
  return source ?? value;
}

/** `{ env: NAME }` or `{ file: path }`. @throws Failure `usage` if the variable or the file is missing */
async function readReference(reading: Reading, field: Field, map: YAMLMap): Promise<string> {
  const { references, secrets } = reading;
  const at = positionOf(reading, map);
  const [pair, other] = pairsOf(reading, map);
  if (!pair || other || !['env', 'file'].includes(pair.name) || !isScalar(pair.value))
    throw failAt(at, 'expected text, { env: NAME } or { file: path }');
  const name = pair.value.source ?? String(pair.value.value);
  if (name === '') throw failAt(at, `${pair.name} must not be empty`);
  const text = pair.name === 'env' ? references.env(name) : await readFile(references, at, name);
  if (text === undefined)
    throw failAt(at, `the environment variable ${name} is not set`, [
      'set it, or remove the attribute: a value that is not in the file is not compared',
    ]);
  // Node replaces bytes that are not UTF-8.
  if (pair.name === 'env' && text.includes('\ufffd'))
    throw failAt(at, `the environment variable ${name} is not UTF-8 text`);
  const value = pair.name === 'env' ? text : fileText(text, field);
  secrets.add(value);
  return value;
}

async function readFile(references: References, at: Position, name: string): Promise<string> {
  const path = at.file === '-' || isAbsolute(name) ? name : join(dirname(at.file), name);
  const bytes = await references.read(path).catch((error: Error) => {
    throw failAt(at, error.message);
  });
  const text = decode(bytes);
  if (text === undefined) throw failAt(at, `${path} is not UTF-8 text`);
  return text;
}
