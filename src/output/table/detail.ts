import { isRecord } from '../fields.ts';
import type { ColumnKind, OutputOptions } from '../model.ts';
import { printable } from '../text.ts';
import { cellText, isSimple, kindOfName, readings, type Showing, shownText } from './cells.ts';
import type { Paint } from './paint.ts';
import { Measure } from './width.ts';
import { wrapWords } from './wrap.ts';

interface Line {
  readonly name: string;
  readonly kind: ColumnKind | undefined;
  readonly value: unknown;
}

/** What a value that was typed unseen is shown as. */
const unseen = '(hidden)';

/**
 * One object, one line a field. In a pipe, and for a screen reader, what is nested stands under dotted names as `--fields`
 * takes them: the given columns first, then every other key that came. On a terminal nested parts follow the plain fields,
 * each under its name, and a text of several lines keeps them. With `fields`, just those.
 */
export async function detail(
  value: unknown,
  options: OutputOptions,
  showing: Showing,
  paint: Paint,
): Promise<string> {
  const { terminal } = options;
  if (!isRecord(value))
    return `${shownText(value, undefined, { ...showing, roomy: terminal !== undefined })}\n`;
  const shown = withUnseen(value, options.unseen ?? []);
  if (!terminal) return flatText(linesOf(shown, options, showing), showing, paint);
  const roomy = { ...showing, roomy: true };
  if (terminal.accessible) return facts(linesOf(shown, options, roomy), roomy);
  return new Layout(terminal.width, roomy, paint).part(partsOf(shown, options), '');
}

function withUnseen(value: Readonly<Record<string, unknown>>, keys: readonly string[]) {
  return { ...value, ...Object.fromEntries(keys.flatMap((key) => (key in value ? [[key, unseen]] : []))) };
}

/** A line for each field, the values below one another. */
async function flatText(lines: readonly Line[], showing: Showing, paint: Paint): Promise<string> {
  const names = lines.map(({ name }) => `${printable(name)}:`);
  const measure = new Measure();
  await measure.prepare(names);
  const widest = widestOf(names, measure);
  return lines
    .map(({ kind, value }, at) => {
      const text = shownText(value, kind, showing).replace(/\s+$/, '').replaceAll('\n', ' ');
      const margin = ' '.repeat(widest + 1 - measure.width(names[at]!));
      return `${paint.name(names[at]!)}${margin}${kind === 'status' ? paint.status(text) : text}\n`;
    })
    .join('');
}

/** For a screen reader: further lines of a value below it. */
function facts(lines: readonly Line[], showing: Showing): string {
  return lines
    .map(({ name, kind, value }) => `${printable(name)}: ${ended(shownText(value, kind, showing))}\n`)
    .join('');
}

/** Without the line ends at its close. */
function ended(text: string): string {
  return text.replace(/\n+$/, '') || '-';
}

function widestOf(names: readonly string[], measure: Measure): number {
  return names.reduce((most, name) => Math.max(most, measure.width(name)), 0);
}

function linesOf(
  value: Readonly<Record<string, unknown>>,
  options: OutputOptions,
  showing: Showing,
): readonly Line[] {
  const first = readings(options, value).map(({ name, kind, read }) => ({ name, kind, value: read(value) }));
  if (options.fields) return first.flatMap((line) => flat(line, showing));
  const known = first.filter(({ value: shown }) => shown !== undefined);
  const names = new Set(known.map(({ name }) => name));
  const rest = Object.entries(value).map(([name, item]) => ({ name, kind: kindOfName(name), value: item }));
  const all = [...known, ...rest.filter(({ name }) => !names.has(name))].flatMap((line) =>
    flat(line, showing),
  );
  // `commit.id` may be a column, and a part of `commit` too: it stands where it comes first.
  const seen = new Set<string>();
  return all.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** A line for each field of a nested object, and of each object in an array. */
function flat(line: Line, showing: Showing): readonly Line[] {
  const { name, value } = line;
  if (!isNested(value)) return [isRecord(value) ? { ...line, value: null } : line];
  return Object.entries(value as object).flatMap(([key, item]) =>
    flat({ name: `${name}.${key}`, kind: kindOfName(key), value: item }, showing),
  );
}

/** Whether a value is more than a line can hold. */
function isNested(value: unknown): boolean {
  if (Array.isArray(value)) return !value.every(isSimple);
  return isRecord(value) && Object.keys(value).length > 0;
}

/** The fields of an object in the order in which they are shown: plain ones before nested ones, columns before others. */
function partsOf(value: Readonly<Record<string, unknown>>, options: OutputOptions): readonly Line[] {
  if (options.fields)
    return readings(options, value).map(({ name, kind, read }) => ({ name, kind, value: read(value) }));
  return arranged(value, options.columns);
}

function arranged(
  value: Readonly<Record<string, unknown>>,
  columns: OutputOptions['columns'],
): readonly Line[] {
  const heads = columns.map(({ path }) => path.split('.', 1)[0]!).filter((key) => Object.hasOwn(value, key));
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

/** Room below which a text is not wrapped: it would be a column of single words. */
const NARROW = 20;
/** Lines of one unbroken word that are worth their place: a key may be copied, a whole file in base64 is not read. */
const TALL = 20;

/** What is shown of it, at least. */
const LEAST = 8;

function clipped(text: string, room: number): string {
  if (text.length <= room * TALL || /\s/.test(text)) return text;
  const note = ` (${text.length} characters; -o json has them all)`;
  return `${text.slice(0, Math.max(LEAST, room - note.length - 3))}...${note}`;
}

/** An object laid out on a terminal: each nested part under its name, two columns further in. */
class Layout {
  readonly #width: number;
  readonly #showing: Showing;
  readonly #paint: Paint;
  readonly #measure = new Measure();

  constructor(width: number, showing: Showing, paint: Paint) {
    this.#width = width;
    this.#showing = showing;
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
    const text = ended(shownText(empty, kind, this.#showing));
    await this.#measure.prepare([text]);
    const room = this.#width - margin - column;
    const lines =
      room < NARROW ? text.split('\n') : wrapWords(clipped(text, room), room, this.#measure, 'keep');
    const painted =
      kind === 'status' ? this.#paint.status(text) : lines.join(`\n${' '.repeat(margin + column)}`);
    return `${this.#paint.name(name)}${' '.repeat(column - this.#measure.width(name))}${painted}\n`;
  }

  async #nested(value: unknown, margin: string): Promise<string> {
    if (!Array.isArray(value)) return this.part(entries(value), margin);
    let text = '';
    for (const item of value) {
      const inner = isRecord(item)
        ? await this.part(arranged(item, []), `${margin}  `)
        : `${margin}  ${printable(cellText(item, this.#showing.numbers))}\n`;
      text += `${margin}- ${inner.slice(margin.length + 2)}`;
    }
    return text;
  }
}

function entries(value: unknown): readonly Line[] {
  return Object.entries(value as object).map(([name, item]) => ({
    name,
    kind: kindOfName(name),
    value: item,
  }));
}
