import { isRecord } from '../fields.ts';
import type { ColumnKind, OutputOptions } from '../model.ts';
import { printable } from '../text.ts';
import { cellText, columnReaders, type DisplayOptions, displayText, isSimple, kindOfName } from './cells.ts';
import type { Paint } from './paint.ts';
import { Measure } from './width.ts';
import { wrapWords } from './wrap.ts';

interface Line {
  readonly name: string;
  readonly kind: ColumnKind | undefined;
  readonly value: unknown;
}

/** Displayed in place of a value that was entered hidden. */
const hidden = '(hidden)';

/**
 * Format one object with one line per field. In a pipe and for screen readers, nested fields have dotted names, as in
 * `--fields`; the given columns come first, then all other keys. On a terminal, nested objects follow the simple fields
 * under their own names, and multiline texts keep their lines. With `fields`, only these are printed.
 */
export async function detail(
  value: unknown,
  options: OutputOptions,
  display: DisplayOptions,
  paint: Paint,
): Promise<string> {
  const { terminal } = options;
  if (!isRecord(value))
    return `${displayText(value, undefined, { ...display, detailed: terminal !== undefined })}\n`;
  const shown = hideValues(value, options.unseen ?? []);
  if (!terminal) return flatText(linesOf(shown, options, display), display, paint);
  const detailed = { ...display, detailed: true };
  if (terminal.accessible) return facts(linesOf(shown, options, detailed), detailed);
  return new Layout(terminal.width, detailed, paint).part(partsOf(shown, options), '');
}

function hideValues(value: Readonly<Record<string, unknown>>, keys: readonly string[]) {
  return { ...value, ...Object.fromEntries(keys.flatMap((key) => (key in value ? [[key, hidden]] : []))) };
}

/** Format one line per field with aligned values. */
async function flatText(lines: readonly Line[], display: DisplayOptions, paint: Paint): Promise<string> {
  const names = lines.map(({ name }) => `${printable(name)}:`);
  const measure = new Measure();
  await measure.prepare(names);
  const widest = widestOf(names, measure);
  return lines
    .map(({ kind, value }, at) => {
      const text = displayText(value, kind, display).replace(/\s+$/, '').replaceAll('\n', ' ');
      const margin = ' '.repeat(widest + 1 - measure.width(names[at]!));
      return `${paint.name(names[at]!)}${margin}${kind === 'status' ? paint.status(text) : text}\n`;
    })
    .join('');
}

/** Format lines for a screen reader; values may have several lines. */
function facts(lines: readonly Line[], display: DisplayOptions): string {
  return lines
    .map(({ name, kind, value }) => `${printable(name)}: ${trimmed(displayText(value, kind, display))}\n`)
    .join('');
}

/** Remove line breaks at the end. */
function trimmed(text: string): string {
  return text.replace(/\n+$/, '') || '-';
}

function widestOf(names: readonly string[], measure: Measure): number {
  return names.reduce((max, name) => Math.max(max, measure.width(name)), 0);
}

function linesOf(
  value: Readonly<Record<string, unknown>>,
  options: OutputOptions,
  display: DisplayOptions,
): readonly Line[] {
  const first = columnReaders(options, value).map(({ name, kind, read }) => ({
    name,
    kind,
    value: read(value),
  }));
  if (options.fields) return first.flatMap((line) => flat(line, display));
  const known = first.filter(({ value: shown }) => shown !== undefined);
  const names = new Set(known.map(({ name }) => name));
  const rest = Object.entries(value).map(([name, item]) => ({ name, kind: kindOfName(name), value: item }));
  const all = [...known, ...rest.filter(({ name }) => !names.has(name))].flatMap((line) =>
    flat(line, display),
  );
  // `commit.id` can be a column and a part of `commit`: only the first is printed.
  const seen = new Set<string>();
  return all.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** Return a line for each field of a nested object, and of each object in an array. */
function flat(line: Line, display: DisplayOptions): readonly Line[] {
  const { name, value } = line;
  if (!isNested(value)) return [isRecord(value) ? { ...line, value: null } : line];
  return Object.entries(value).flatMap(([key, item]) =>
    flat({ name: `${name}.${key}`, kind: kindOfName(key), value: item }, display),
  );
}

/** Whether a value needs more than one line. */
function isNested(value: unknown): value is object {
  if (Array.isArray(value)) return !value.every(isSimple);
  return isRecord(value) && Object.keys(value).length > 0;
}

/** Return the fields of an object in display order: simple before nested, columns before others. */
function partsOf(value: Readonly<Record<string, unknown>>, options: OutputOptions): readonly Line[] {
  if (options.fields)
    return columnReaders(options, value).map(({ name, kind, read }) => ({ name, kind, value: read(value) }));
  const lines = arranged(value, options.columns);
  const filled = options.allFields ? lines : lines.filter((line) => !isEmpty(line.value));
  return filled.length > 0 ? filled : lines;
}

/** Whether there is nothing to read in a value: null, an empty text, or a list or an object of empty values. */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  if (isSimple(value)) return false;
  return Object.values(value as object).every(isEmpty);
}

function arranged(
  value: Readonly<Record<string, unknown>>,
  columns: OutputOptions['columns'],
): readonly Line[] {
  const heads = columns.flatMap(({ path }) => path.split('.', 1)).filter((key) => Object.hasOwn(value, key));
  const keys = [...new Set([...heads, ...Object.keys(value)])];
  const lines = keys.map((name) => {
    const item = value[name];
    const kind = columns.find(({ path }) => path === name)?.kind ?? kindOfName(name);
    if (!isNested(item) || !isRecord(item)) return { name, kind, value: item };
    const inside = columns.flatMap(({ path, kind: own }) =>
      path.startsWith(`${name}.`) ? [{ path: path.slice(name.length + 1), kind: own }] : [],
    );
    return {
      name,
      kind,
      value: Object.fromEntries(arranged(item, inside).map((one) => [one.name, one.value])),
    };
  });
  return [...lines.filter((line) => !isNested(line.value)), ...lines.filter((line) => isNested(line.value))];
}

/** Minimum width for wrapping text: narrower columns would have one word per line. */
const MIN_WRAP_WIDTH = 20;
/** Maximum lines of one word: keys are worth copying, base64 files are not. */
const MAX_WORD_LINES = 20;

/** Minimum characters of a clipped word. */
const MIN_CLIPPED = 8;

function clipped(text: string, room: number): string {
  if (text.length <= room * MAX_WORD_LINES || /\s/.test(text)) return text;
  const note = ` (${text.length} characters; use -o json for all)`;
  return `${text.slice(0, Math.max(MIN_CLIPPED, room - note.length - 3))}...${note}`;
}

/** Formats an object for a terminal, with nested parts indented by two columns below their names. */
class Layout {
  readonly #width: number;
  readonly #display: DisplayOptions;
  readonly #paint: Paint;
  readonly #measure = new Measure();

  constructor(width: number, display: DisplayOptions, paint: Paint) {
    this.#width = width;
    this.#display = display;
    this.#paint = paint;
  }

  async part(lines: readonly Line[], margin: string): Promise<string> {
    const plain = lines.filter(({ value }) => !isNested(value)).map(({ name }) => `${printable(name)}:`);
    await this.#measure.prepare(plain);
    const column = widestOf(plain, this.#measure) + 1;
    let text = '';
    for (const line of lines) {
      const name = `${printable(line.name)}:`;
      if (!isNested(line.value)) text += margin + (await this.#field(name, line, column, margin.length));
      else text += `${margin}${this.#paint.name(name)}\n${await this.#nested(line.value, `${margin}  `)}`;
    }
    return text;
  }

  async #field(name: string, { kind, value }: Line, column: number, margin: number): Promise<string> {
    const empty = isRecord(value) ? null : value;
    const text = trimmed(displayText(empty, kind, this.#display));
    await this.#measure.prepare([text]);
    const room = this.#width - margin - column;
    const lines =
      room < MIN_WRAP_WIDTH ? text.split('\n') : wrapWords(clipped(text, room), room, this.#measure, 'keep');
    const painted =
      kind === 'status' ? this.#paint.status(text) : lines.join(`\n${' '.repeat(margin + column)}`);
    return `${this.#paint.name(name)}${' '.repeat(column - this.#measure.width(name))}${painted}\n`;
  }

  async #nested(value: object, margin: string): Promise<string> {
    if (!Array.isArray(value)) return this.part(linesWithin(value), margin);
    let text = '';
    for (const item of value) {
      const inner = isRecord(item)
        ? await this.part(arranged(item, []), `${margin}  `)
        : `${margin}  ${printable(cellText(item, this.#display.numbers))}\n`;
      text += `${margin}- ${inner.slice(margin.length + 2)}`;
    }
    return text;
  }
}

function linesWithin(value: object): readonly Line[] {
  return Object.entries(value).map(([name, item]) => ({
    name,
    kind: kindOfName(name),
    value: item,
  }));
}
