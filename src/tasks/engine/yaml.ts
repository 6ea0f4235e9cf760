/** Parse YAML with positions. Documents that could exhaust the stack or the memory are refused before they are read. */
import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  type LineCounter,
  type Node,
  Parser,
  type YAMLMap,
} from 'yaml';
import { type Failure, usage } from '../../errors.ts';
import { type Position, positionText } from './model.ts';

/** No kind of resource comes near these limits. */
const maxDepth = 100;
const maxValues = 1_000_000;

/** The source of one document. */
export interface Source {
  readonly file: string;
  readonly lines: LineCounter;
  readonly document: Document;
  /** The node of each alias. */
  readonly aliases: ReadonlyMap<Alias, Node>;
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

/** @throws Failure `usage` for a syntax error, for nesting without end, and for aliases that cannot be resolved */
export function parseYaml(file: string, text: string, lines: LineCounter): Omit<Source, 'isJson'>[] {
  const places = { file, lines };
  const tokens: CST.Token[] = [];
  for (const token of new Parser(lines.addNewLine).parse(text)) {
    checkDepth(places, token);
    tokens.push(token);
  }
  // The check of the parser takes quadratic time; `pairsOf` checks keys instead.
  const composer = new Composer({ lineCounter: lines, version: '1.2', schema: 'core', uniqueKeys: false });
  return [...composer.compose(tokens)].map((document) => {
    const [error] = document.errors;
    if (error) {
      const message = error.message.split(' at line')[0] ?? '';
      throw failAt(positionAt(places, error.pos[0]), message.toLowerCase());
    }
    const [warning] = document.warnings;
    if (warning?.code === 'TAG_RESOLVE_FAILED')
      throw failAt(positionAt(places, warning.pos[0]), 'tags are not supported', [
        'quote text that starts with !',
      ]);
    return { ...places, document, aliases: resolveAliases(places, document.contents) };
  });
}

/** Composing is recursive, so nesting is checked on the tokens. */
function checkDepth(places: Places, root: CST.Token): void {
  const open: [CST.Token, number][] = [[root, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [token, depth] = next;
    if (depth > maxDepth) throw failAt(positionAt(places, token.offset), 'nested too deeply');
    if (token.type === 'document' && token.value) open.push([token.value, depth]);
    if (!('items' in token)) continue;
    for (const { key, value } of token.items) {
      if (key) open.push([key, depth + 1]);
      if (value) open.push([value, depth + 1]);
    }
  }
}

/** What a node is after all of its aliases are replaced. */
interface Extent {
  readonly values: number;
  readonly depth: number;
}

/** An alias means the last node before it that has its anchor. */
function resolveAliases(places: Places, root: Node | null): Map<Alias, Node> {
  const aliases = new Map<Alias, Node>();
  const anchors = new Map<string, Node>();
  const extents = new Map<Node, Extent>();
  const measure = (node: unknown): Extent => {
    if (isPair(node)) return join([node.key, node.value].map(measure));
    if (isAlias(node)) {
      const at = positionOf(places, node);
      const target = anchors.get(node.source);
      if (!target) throw failAt(at, `unknown alias *${node.source}`);
      const extent = extents.get(target);
      if (!extent) throw failAt(at, `the alias *${node.source} refers to itself`);
      aliases.set(node, target);
      return extent;
    }
    if (!isCollection(node)) {
      if (isScalar(node) && node.anchor !== undefined) {
        anchors.set(node.anchor, node);
        extents.set(node, single);
      }
      return single;
    }
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    const { values, depth } = join(node.items.map(measure));
    const extent = { values: values + 1, depth: depth + 1 };
    if (aliases.size > 0 && (extent.values > maxValues || extent.depth > maxDepth))
      throw failAt(positionOf(places, node), 'aliases expand to too many values');
    if (node.anchor !== undefined) extents.set(node, extent);
    return extent;
  };
  measure(root);
  return aliases;
}

const single: Extent = { values: 1, depth: 0 };

function join(extents: readonly Extent[]): Extent {
  return extents.reduce(
    (all, { values, depth }) => ({ values: all.values + values, depth: Math.max(all.depth, depth) }),
    { values: 0, depth: 0 },
  );
}

/** The entries of a mapping. @throws Failure `usage` for a key that occurs twice */
export function pairsOf(source: Source, map: YAMLMap): [name: string, key: Node, value: Node | null][] {
  const names = new Set<string>();
  return map.items.map(({ key, value }) => {
    if (!isScalar(key)) throw failAt(positionOf(source, map), 'keys must be text');
    const name = key.source ?? String(key.value);
    if (names.has(name)) throw failAt(positionOf(source, key), `duplicate key ${JSON.stringify(name)}`);
    names.add(name);
    return [name, key, resolveAlias(source, value as Node | null)];
  });
}

export function resolveAlias({ aliases }: Source, node: Node | null): Node | null {
  return isAlias(node) ? (aliases.get(node) ?? null) : node;
}

export function mapOf(source: Source, node: Node | null, message: string): YAMLMap {
  const found = resolveAlias(source, node);
  if (isMap(found)) return found;
  throw failAt(positionOf(source, found), message);
}
