import { cellText, isSimple, readings, type Showing, shownText } from './cells.ts';
import { isRecord } from './fields.ts';
import type { ColumnKind, OutputOptions } from './index.ts';
import type { Paint } from './paint.ts';
import { printable } from './text.ts';
import { Measure } from './width.ts';

interface Line {
  readonly name: string;
  readonly kind: ColumnKind | undefined;
  readonly value: unknown;
}

/**
 * One object, one line a field: the given columns first, then every other key that came; what is nested under dotted names.
 * With `fields`, just those. On a terminal a text of several lines keeps them.
 */
export async function detail(
  value: unknown,
  options: OutputOptions,
  showing: Showing,
  paint: Paint,
): Promise<string> {
  if (!isRecord(value)) return `${shownText(value, undefined, showing)}\n`;
  const onTerminal = options.terminal !== undefined;
  const lines = linesOf(value, options, showing);
  const names = lines.map(({ name }) => `${printable(name)}:`);
  const measure = new Measure();
  await measure.prepare(names);
  const widest = options.terminal?.accessible
    ? 0
    : names.reduce((most, name) => Math.max(most, measure.width(name)), 0) + 1;
  return lines
    .map(({ kind, value: shown }, index) => {
      const name = names[index]!;
      const text = shownText(shown, kind, { ...showing, roomy: onTerminal });
      const painted = kind === 'status' ? paint.status(text) : text;
      const spaces = Math.max(1, widest - measure.width(name));
      const indented = painted.replaceAll('\n', `\n${' '.repeat(measure.width(name) + spaces)}`);
      return `${paint.name(name)}${' '.repeat(spaces)}${indented}\n`;
    })
    .join('');
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
  const rest = Object.entries(value).map(([name, item]) => ({ name, kind: undefined, value: item }));
  const all = [...known, ...rest.filter(({ name }) => !names.has(name))].flatMap((line) =>
    flat(line, showing),
  );
  // `commit.id` may be a column, and a part of `commit` too: it stands where it comes first.
  const seen = new Set<string>();
  return all.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** A nested object is a line for each of its fields; an array of objects a line for each of them. */
function flat(line: Line, showing: Showing): readonly Line[] {
  const { name, value } = line;
  if (isRecord(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) return [{ ...line, value: null }];
    return entries.flatMap(([key, item]) =>
      flat({ name: `${name}.${key}`, kind: undefined, value: item }, showing),
    );
  }
  if (Array.isArray(value) && !value.every(isSimple)) {
    return value.map((item, index) => ({
      name: `${name}[${index}]`,
      kind: 'text',
      value: cellText(item, showing.numbers),
    }));
  }
  return [line];
}
