/** Stack traces as programs print them. */

export interface Frame {
  readonly filename: string;
  readonly function: string;
  readonly lineno?: number;
  readonly colno?: number;
}

export interface StackTrace {
  /** Class of the exception. */
  readonly type: string;
  readonly value: string;
  /** Outermost first. */
  readonly frames: readonly Frame[];
}

interface Language {
  readonly frame: RegExp;
  /** The text between an exception and its cause. */
  readonly between: RegExp;
  /** The outermost frame and the cause are printed first. */
  readonly outermostFirst?: true;
  /** The last line that matches contains the type and the message. */
  readonly title: RegExp;
  /** The lines of the title. @param first the index of the first frame */
  readonly titles: (lines: readonly string[], first: number) => readonly string[];
}

/** `java.io.IOException: disk full`, `ValueError` */
const title = /^(?:Exception in thread "[^"]*" |Uncaught )?(?<type>[A-Za-z_][\w.$]*)(?:: (?<value>.*))?$/;
const linesBefore = (lines: readonly string[], first: number) => lines.slice(0, first);

const languages: readonly Language[] = [
  {
    // Python: `File "a.py", line 3, in open`
    frame: /^\s*File "(?<file>.+)", line (?<line>\d+)(?:, in (?<name>.+))?$/,
    between:
      /^(?:The above exception was the direct cause of the following exception|During handling of the above exception, another exception occurred):$/m,
    outermostFirst: true,
    title,
    titles: (lines, first) => lines.slice(first),
  },
  {
    // Node.js: `at open (file.js:1:2)`, `at file.js:1:2`
    frame:
      /^\s*at (?:(?<name>.+?) \()?(?<file>(?:\w+:\/\/)?[^()\s][^()]*?):(?<line>\d+):(?<column>\d+)\)?(?: \{)?$/,
    between: /^[^\S\n]*\[cause\]: /m,
    title,
    titles: linesBefore,
  },
  {
    // Java: `at a.b.C.open(C.java:12)`, `at a.b.C.open(Native Method)`
    frame: /^\s*at (?<name>[\w.$<>/]+)\((?<file>[^():]+)(?::(?<line>\d+))?\)$/,
    between: /^Caused by: /m,
    title,
    titles: linesBefore,
  },
  {
    // Ruby: ``from a.rb:3:in `open'``, after ``a.rb:3:in `open': no fuel (RuntimeError)``
    frame: /^\s*(?:from )?(?<file>[^\s:]+\.rb):(?<line>\d+):in [`'](?<name>.+?)'/,
    between: /\n(?=\S[^\n]*:in [`'][^`'\n]+': [^\n]* \([A-Z][\w:]*\)(?:\n|$))/,
    title: /:in [`'][^`']+': (?<value>.*) \((?<type>[A-Z][\w:]*)\)$/,
    titles: (lines, first) => lines.slice(first, first + 1),
  },
];

function parseOne(text: string, language: Language): StackTrace | undefined {
  const lines = text.split('\n');
  const found = lines.map((line) => language.frame.exec(line)?.groups);
  const first = found.findIndex((groups) => groups);
  if (first < 0) return undefined;
  const frames = found.flatMap((groups): Frame[] => {
    if (!groups) return [];
    const { file = '', name, line, column } = groups;
    const lineno = line === undefined ? {} : { lineno: Number(line) };
    const colno = column === undefined ? {} : { colno: Number(column) };
    return [{ filename: file, function: name?.trim() || '<anonymous>', ...lineno, ...colno }];
  });
  const titled = language.titles(lines, first).findLast((line) => language.title.test(line));
  const { type = 'Error', value = '' } = language.title.exec(titled ?? '')?.groups ?? {};
  return { type, value, frames: language.outermostFirst ? frames : frames.reverse() };
}

/**
 * Parse a stack trace of Node.js, Java, Python or Ruby.
 * @returns the exceptions, each after its cause; none if no line is a frame
 */
export function parseStack(text: string): readonly StackTrace[] {
  // Java prints exceptions of closed resources inside of the trace.
  const lines = text.replaceAll('\r\n', '\n').replace(/^\t+Suppressed: .*\n(?:\t\t.*\n?)*/gm, '');
  for (const language of languages) {
    const stacks = lines.split(language.between).flatMap((part) => parseOne(part, language) ?? []);
    if (stacks.length > 0) return language.outermostFirst ? stacks : stacks.reverse();
  }
  return [];
}
