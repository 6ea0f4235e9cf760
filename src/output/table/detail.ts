import { isAttributeName, kindOfName, labelOf, sentenceCase } from '../../support/column.ts';
import { isRecord } from '../../support/record.ts';
import { printable } from '../../support/text/printable.ts';
import type { OutputOptions } from '../model.ts';
import type { Printer } from '../printer.ts';
import {
  cellText,
  columnReaders,
  type DisplayOptions,
  displayText,
  isSimple,
  kindAt,
  wordsOfObject,
} from './cells.ts';
import type { Paint } from './paint.ts';
import { Measure } from './width.ts';
import { wrapWords } from './wrap.ts';

type Entries = Readonly<Record<string, unknown>>;
export type CreatePrinter = (options: OutputOptions) => Promise<Printer>;

interface Line {
  readonly label: string;
  /** The path without the indexes of arrays, for its kind. */
  readonly path: string;
  readonly value: unknown;
}

/**
 * Format one object with one line per field: the given columns first, then all other keys. Nested objects follow the simple
 * fields under their own labels, and a list of objects is a small table. With `fields`, only these are printed.
 * @param list creates the printer of a small table
 */
export async function detail(
  value: unknown,
  options: OutputOptions,
  paint: Paint,
  list: CreatePrinter,
): Promise<string> {
  const { terminal, time, now, allFields } = options;
  const display: DisplayOptions = {
    time,
    now,
    words: wordsOfObject(terminal),
    detailed: terminal !== undefined,
    ...(allFields ? { exactEmpty: true } : {}),
  };
  if (!isRecord(value)) return `${displayText(value, undefined, display)}\n`;
  const lines = fieldsOf(withHidden(value, options), options);
  if (terminal?.accessible) return spoken(lines, '', options, display);
  const rendersMarkdown = options.source !== true && (value['format'] ?? 'markdown') === 'markdown';
  return layout(options, display, paint, list, rendersMarkdown)(lines, '');
}

function withHidden(value: Entries, { hiddenBy }: OutputOptions): Entries {
  if (!hiddenBy) return value;
  const shown = Object.entries(value).map(([key, item]) => {
    const by = item === null ? hiddenBy(key) : undefined;
    return [key, by !== undefined && value[by] === true ? '(hidden)' : item];
  });
  return Object.fromEntries(shown);
}

function fieldsOf(value: Entries, options: OutputOptions): readonly Line[] {
  if (options.fields)
    return columnReaders(options, [value]).map(({ name, read }) => {
      const declared = options.columns.find(({ path }) => path === name);
      const line = lineOf(name, read(value));
      return declared ? { ...line, label: sentenceCase(declared.label) } : line;
    });
  const lines = arranged(withoutBulk(value, options), '', options);
  return lines.length > 0 ? lines : Object.entries(value).map(([name, item]) => lineOf(name, item));
}

function withoutBulk(value: Entries, { isBulky, allFields }: OutputOptions): Entries {
  if (!isBulky || allFields) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !isBulky(key)));
}

/** Describe the line of a key. A key that is not a name of the API, such as a name of a header, is its own label. */
function lineOf(name: string, value: unknown, prefix = ''): Line {
  const label = isAttributeName(name) ? sentenceCase(labelOf(name)) : printable(name);
  return { label, path: `${prefix}${name}`, value };
}

/** Return the fields of an object: columns before others, simple before nested. On a terminal, empty fields are omitted. */
function arranged(value: Entries, prefix: string, options: OutputOptions): readonly Line[] {
  const heads = options.columns.flatMap(({ path }) =>
    path.startsWith(prefix) ? [path.slice(prefix.length).split('.', 1)[0]!] : [],
  );
  const known = heads.filter((key) => Object.hasOwn(value, key));
  const lines = [...new Set([...known, ...Object.keys(value)])]
    .map((name) => lineOf(name, condensed(value[name], options), prefix))
    .filter((line) => showsEmpty(options) || !isEmpty(line.value));
  return [...lines.filter((line) => !isNested(line.value)), ...lines.filter((line) => isNested(line.value))];
}

const showsEmpty = ({ terminal, allFields }: OutputOptions): boolean => !terminal || allFields === true;

function condensed(value: unknown, options: OutputOptions): unknown {
  if (showsEmpty(options) || !isRecord(value)) return value;
  const { username, name } = value;
  if (typeof username !== 'string' || typeof name !== 'string') return value;
  return `${name} (${username})`;
}

/** Whether a terminal omits a value: null, an empty text, or a list or an object of such values only. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (isSimple(value)) return false;
  return Object.values(value as object).every(isEmpty);
}

function isNested(value: unknown): value is object {
  if (Array.isArray(value)) return !value.every(isSimple);
  return isRecord(value) && Object.keys(value).length > 0;
}

function trimmed(text: string): string {
  return text.replace(/(?<!\n)\n+$/, '') || '-';
}

/** Format lines for a screen reader: nested fields have the labels of their parents, and values may have several lines. */
function spoken(
  lines: readonly Line[],
  before: string,
  options: OutputOptions,
  display: DisplayOptions,
): string {
  const named = (label: string): string =>
    // An acronym stays in upper case.
    before === '' ? label : `${before} ${label.replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase())}`;
  return lines
    .map(({ label, path, value }) => {
      const name = named(label);
      if (!isNested(value))
        return `${name}: ${trimmed(displayText(value, kindAt(options, path), display))}\n`;
      if (!Array.isArray(value))
        return spoken(arranged(value as Entries, `${path}.`, options), name, options, display);
      return value
        .map((item, at) => {
          const one = condensed(item, options);
          return isRecord(one)
            ? spoken(arranged(one, `${path}.`, options), `${name} ${at + 1}`, options, display)
            : `${name} ${at + 1}: ${displayText(one, undefined, display)}\n`;
        })
        .join('');
    })
    .join('');
}

/** Minimum width for wrapping text: narrower columns would have one word per line. */
const MIN_WRAP_WIDTH = 20;
/** Maximum lines of one word: keys are worth copying, base64 files are not. */
const MAX_WORD_LINES = 20;
const MIN_CLIPPED = 8;

function clipped(text: string, room: number): string {
  if (text.length <= room * MAX_WORD_LINES || /\s/.test(text)) return text;
  const note = ` (${text.length} characters; use -o json for all)`;
  return `${text.slice(0, Math.max(MIN_CLIPPED, room - note.length - 3))}...${note}`;
}

/** Return a function that formats an object, with nested parts indented by two columns below their labels. In a pipe, nothing is cut. */
function layout(
  options: OutputOptions,
  display: DisplayOptions,
  paint: Paint,
  list: CreatePrinter,
  rendersMarkdown: boolean,
) {
  const { terminal } = options;
  const measure = new Measure();

  async function part(lines: readonly Line[], margin: string): Promise<string> {
    const labels = lines.filter(({ value }) => !isNested(value)).map(({ label }) => `${label}:`);
    await measure.prepare(labels);
    const column = labels.reduce((max, label) => Math.max(max, measure.width(label)), 0) + 1;
    let text = '';
    for (const line of lines) {
      const label = `${line.label}:`;
      if (!isNested(line.value)) text += margin + (await field(label, line, column, margin.length));
      else text += `${margin}${paint.name(label)}\n${await nested(line, line.value, `${margin}  `)}`;
    }
    return text;
  }

  async function field(
    label: string,
    { path, value }: Line,
    column: number,
    margin: number,
  ): Promise<string> {
    const kind = kindAt(options, path);
    const isSource = options.isMarkdown?.(path) === true;
    const text = trimmed(displayText(value, kind, isSource ? { ...display, detailed: true } : display));
    await measure.prepare([text]);
    const room = (terminal?.width ?? 0) - margin - column;
    const lines = await linesOf(text, room, isSource && rendersMarkdown);
    const painted = lines.map((line) => paint.cell(kind === 'time' ? undefined : kind, line));
    const shown = painted.join(`\n${' '.repeat(margin + column)}`);
    return `${paint.name(label)}${' '.repeat(column - measure.width(label))}${shown}\n`;
  }

  async function linesOf(text: string, room: number, markdown: boolean): Promise<readonly string[]> {
    if (room < MIN_WRAP_WIDTH || !terminal) return text.split('\n');
    if (!markdown) return wrapWords(clipped(text, room), room, measure, 'keep');
    const { renderMarkdown } = await import('./markdown.ts');
    return renderMarkdown(text, room, terminal, measure);
  }

  async function nested({ path }: Line, value: object, margin: string): Promise<string> {
    if (!Array.isArray(value)) return part(arranged(value as Entries, `${path}.`, options), margin);
    const rows: readonly unknown[] = value;
    const records = rows.filter(isRecord).map((row) => condensedRow(row, options));
    if (records.length === rows.length && records.every((row) => !Object.values(row).some(isNested)))
      return table(records, path, margin);
    let text = '';
    for (const item of rows) {
      const inner = isRecord(item)
        ? await part(arranged(item, `${path}.`, options), `${margin}  `)
        : `${margin}  ${printable(cellText(item))}\n`;
      text += `${margin}- ${inner.slice(margin.length + 2)}`;
    }
    return text;
  }

  /** Format simple objects as a small table, on a terminal without empty columns. */
  async function table(rows: readonly Entries[], path: string, margin: string): Promise<string> {
    const isShown = (key: string) => showsEmpty(options) || rows.some((row) => !isEmpty(row[key]));
    const shown = rows.map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => isShown(key))));
    // `users.name` names a row, although elsewhere it is an attribute of another object.
    const kindOf = (key: string) => (kindOfName(key) === 'name' ? 'name' : kindAt(options, `${path}.${key}`));
    // A part of a URL is useless, so its column is dropped rather than cut.
    const isWhole = (key: string) =>
      rows.some(({ [key]: value }) => /^(https?:|(true|false)$)/.test(String(value)));
    const { fields: _, wrap: __, ...others } = options;
    const printer = await list({
      ...others,
      columns: [],
      header: true,
      kindOf: (key) => (isWhole(key) ? 'flag' : kindOf(key)),
      ...(terminal ? { terminal: { ...terminal, width: terminal.width - margin.length } } : {}),
    });
    return (await printer.rows(shown)).replace(/^(?=.)/gm, margin);
  }

  return part;
}

function condensedRow(row: Entries, options: OutputOptions): Entries {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, condensed(value, options)]));
}
