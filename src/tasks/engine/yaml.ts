/** Parse YAML with positions. */
import {
  type Alias,
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

/** Aliases that a file may use, those in the nodes of other aliases included. */
const maxAliases = 100_000;

/** The source of one document. */
export interface Source {
  readonly file: string;
  readonly lines: LineCounter;
  readonly root: Node | null;
  /** The node of each alias. */
  readonly aliases: ReadonlyMap<Alias, Node>;
  readonly used: { aliases: number };
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
  const documents = [...parseAllDocuments(text, options)];
  if (documents.length === 0) throw failAt(positionAt(places, 0), 'the file is empty');
  return documents.map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) {
      const at = positionAt(places, problem.pos[0]);
      if (problem.code === 'RESOURCE_EXHAUSTION') throw failAt(at, 'nested too deeply');
      if (problem.code !== 'TAG_RESOLVE_FAILED') throw failAt(at, problem.message.toLowerCase());
      throw failAt(at, 'tags are not supported', ['quote text that starts with !']);
    }
    const isJson = /^\s*[[{]/.test(text);
    return {
      ...places,
      root: document.contents,
      aliases: aliasesIn(places, document),
      used: { aliases: 0 },
      isJson,
    };
  });
}

/** An alias means the last node before it that has its anchor. */
function aliasesIn(places: Places, document: Document): Map<Alias, Node> {
  const aliases = new Map<Alias, Node>();
  const anchors = new Map<string, Node>();
  visit(document, {
    Alias(_, alias, path) {
      const node = anchors.get(alias.source);
      if (!node) throw failAt(positionOf(places, alias), `unknown alias *${alias.source}`);
      if (path.includes(node))
        throw failAt(positionOf(places, alias), `the alias *${alias.source} refers to itself`);
      aliases.set(alias, node);
    },
    Value(_, node) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return aliases;
}

/** A pair of a mapping. */
export interface Pair {
  readonly name: string;
  /** The position of the key. */
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
    return { name, at, value: resolveAlias(source, value) };
  });
}

/** The node that an alias means; any other node is returned. @throws Failure `usage` for aliases that multiply */
export function resolveAlias(source: Source, node: unknown): Node | null {
  if (!isAlias(node)) return node as Node | null;
  source.used.aliases += 1;
  if (source.used.aliases > maxAliases)
    throw failAt(positionOf(source, node), 'aliases expand to too many values');
  return source.aliases.get(node) ?? null;
}

/** @throws Failure `usage` with this message for another node */
export function mapOf(source: Source, node: unknown, message: string): YAMLMap {
  const found = resolveAlias(source, node);
  if (isMap(found)) return found;
  throw failAt(positionOf(source, found), message);
}
