/** Parse YAML with positions. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from 'yaml';
import { type Failure, usage } from '../../errors.ts';
import { type Position, positionText } from './model.ts';

const textTag = 'tag:yaml.org,2002:str';

/** Limits of a document whose aliases are replaced. No state file comes near them. */
const maxNodes = 1_000_000;
/** Characters of all keys and values. */
const maxLength = 128 * 1024 * 1024;
const maxDepth = 500;

export interface Source {
  readonly file: string;
  readonly lines: LineCounter;
  readonly root: Node | null;
  /** JSON has types for all values; unquoted YAML text has none. */
  readonly isJson: boolean;
  /** Attributes that are null or unknown do not count. */
  readonly isLenient?: true;
}

export function failAt(at: Position, message: string, hints: readonly string[] = []): Failure {
  return usage(`${positionText(at)}: ${message}`, hints);
}

type Places = Pick<Source, 'file' | 'lines'>;

function positionAt({ file, lines }: Places, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
}

export function positionOf(places: Places, node: Node | null | undefined): Position {
  return positionAt(places, node?.range?.[0] ?? 0);
}

/** Parse the documents of a file. @throws Failure `usage` for a syntax error, or if there is none */
export function parseYaml(file: string, text: string): Source[] {
  const places = { file, lines: new LineCounter() };
  // The check of the parser for keys takes quadratic time; `pairsOf` checks them instead.
  const options = { lineCounter: places.lines, prettyErrors: false, uniqueKeys: false };
  const all = [...parseAllDocuments(text, options)];
  // A line `---` may also end the file.
  const documents = all.filter(({ contents, errors }) => !isBlank(contents) || errors.length > 0);
  if (documents.length === 0) throw failAt(positionAt(places, 0), 'the file is empty');
  return documents.map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) {
      const at = positionAt(places, problem.pos[0]);
      if (problem.code === 'RESOURCE_EXHAUSTION') throw failAt(at, 'nested too deeply');
      if (problem.code !== 'TAG_RESOLVE_FAILED') throw failAt(at, problem.message.toLowerCase());
      throw tagAt(at);
    }
    replaceAliases(places, document);
    return { ...places, root: document.contents, isJson: /^\s*[[{]/.test(text) };
  });
}

const isBlank = (node: Node | null): boolean => node === null || (isScalar(node) && node.value === null);

const tagAt = (at: Position): Failure =>
  failAt(at, 'tags are not supported', ['quote text that starts with !']);

/** Replace each alias with the last node before it that has its anchor. */
function replaceAliases(places: Places, document: Document): void {
  const anchors = new Map<string, Node>();
  let [nodes, length] = [0, 0];
  visit(document, {
    Node(_, node, path) {
      nodes += 1;
      length += isScalar(node) ? (node.source?.length ?? 0) : 0;
      if (nodes > maxNodes || path.length > maxDepth)
        throw failAt(positionOf(places, node), 'aliases expand to too many values');
      if (length > maxLength)
        throw failAt(positionOf(places, node), 'too much text, or aliases that repeat it');
      // Values are read as they are written, so that a tag such as !!binary would have no effect.
      if ((node.tag ?? textTag) !== textTag) throw tagAt(positionOf(places, node));
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return undefined;
      }
      const target = anchors.get(node.source);
      if (target && !path.includes(target)) return target;
      const problem = target ? `the alias *${node.source} refers to itself` : `unknown alias *${node.source}`;
      throw failAt(positionOf(places, node), problem);
    },
  });
}

export interface Pair {
  readonly name: string;
  readonly at: Position;
  readonly value: Node | null;
}

/** The pairs of a mapping. @throws Failure `usage` for a key that occurs twice */
export function pairsOf(source: Source, map: YAMLMap): Pair[] {
  const names = new Set<string>();
  return map.items.map(({ key, value }) => {
    if (!isScalar(key)) throw failAt(positionOf(source, map), 'keys must be text');
    const name = key.source ?? String(key.value);
    const at = positionOf(source, key);
    if (names.has(name)) throw failAt(at, `duplicate key ${JSON.stringify(name)}`);
    names.add(name);
    return { name, at, value: value as Node | null };
  });
}

/** @throws Failure `usage` with this message for another node */
export function mapOf(source: Source, node: unknown, message: string): YAMLMap {
  if (isMap(node)) return node;
  throw failAt(positionOf(source, node as Node | null), message);
}
