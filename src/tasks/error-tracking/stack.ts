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

function frameOf(filename: string, name: string | undefined, line?: string, column?: string): Frame {
  return {
    filename,
    function: name?.trim() || '<anonymous>',
    ...(line === undefined ? {} : { lineno: Number(line) }),
    ...(column === undefined ? {} : { colno: Number(column) }),
  };
}

type Reader = (line: string) => Frame | undefined;

/** `at open (file.js:1:2)`, `at file.js:1:2` */
const node: Reader = (line) => {
  const [, name, file, row, column] =
    /^\s*at (?:(.+?) \()?((?:\w+:\/\/)?[^()\s][^()]*?):(\d+):(\d+)\)?(?: \{)?$/.exec(line) ?? [];
  return file === undefined ? undefined : frameOf(file, name, row, column);
};

/** `at a.b.C.open(C.java:12)`, `at a.b.C.open(Native Method)` */
const java: Reader = (line) => {
  const [, name, file, row] = /^\s*at ([\w.$<>/]+)\(([^():]+)(?::(\d+))?\)$/.exec(line) ?? [];
  return file === undefined ? undefined : frameOf(file, name, row);
};

/** `File "a.py", line 3, in open` */
const python: Reader = (line) => {
  const [, file, row, name] = /^\s*File "(.+)", line (\d+)(?:, in (.+))?$/.exec(line) ?? [];
  return file === undefined ? undefined : frameOf(file, name, row);
};

/** ``from a.rb:3:in `open'`` */
const ruby: Reader = (line) => {
  const [, file, row, name] = /^\s*(?:from )?([^\s:]+\.rb):(\d+):in [`'](.+?)'/.exec(line) ?? [];
  return file === undefined ? undefined : frameOf(file, name, row);
};

/** `java.io.IOException: disk full`, `ValueError` */
const header = /^(?:Exception in thread "[^"]*" |Uncaught )?([A-Za-z_][\w.$]*)(?:: (.*))?$/;

/** ``a.rb:3:in `open': no fuel (RuntimeError)`` */
const rubyHeader = /:in [`'][^`']+': (.*) \(([A-Z][\w:]*)\)$/;

type Title = Pick<StackTrace, 'type' | 'value'>;

interface Language {
  readonly read: Reader;
  /** The text between an exception and its cause. */
  readonly between: RegExp;
  /** The outermost frame and the cause are printed first. */
  readonly outermostFirst?: true;
  /** Find the type and the message. @param first the index of the first frame */
  readonly title: (lines: readonly string[], first: number) => Title | undefined;
}

/** The last line with a type and a message. */
function lastTitle(lines: readonly string[]): Title | undefined {
  const [, type, value = ''] = header.exec(lines.findLast((line) => header.test(line)) ?? '') ?? [];
  return type === undefined ? undefined : { type, value };
}

const languages: readonly Language[] = [
  {
    read: python,
    between:
      /^(?:The above exception was the direct cause of the following exception|During handling of the above exception, another exception occurred):$/m,
    outermostFirst: true,
    title: (lines, first) => lastTitle(lines.slice(first).filter((line) => /^\S/.test(line))),
  },
  {
    read: node,
    between: /^[^\S\n]*\[cause\]: /m,
    title: (lines, first) => lastTitle(lines.slice(0, first)),
  },
  {
    read: java,
    between: /^Caused by: /m,
    title: (lines, first) => lastTitle(lines.slice(0, first)),
  },
  {
    read: ruby,
    between: /\n(?=\S[^\n]*:in [`'][^`'\n]+': [^\n]* \([A-Z][\w:]*\)(?:\n|$))/,
    title(lines, first) {
      const [, value = '', type] = rubyHeader.exec(lines[first] ?? '') ?? [];
      return type === undefined ? undefined : { type, value };
    },
  },
];

/** @returns undefined if no line is a frame */
function parseOne(text: string, { read, outermostFirst, title }: Language): StackTrace | undefined {
  const lines = text.split('\n');
  const frames = lines.flatMap((line) => read(line) ?? []);
  if (frames.length === 0) return undefined;
  const first = lines.findIndex((line) => read(line));
  return {
    type: 'Error',
    value: '',
    ...title(lines, first),
    frames: outermostFirst ? frames : frames.reverse(),
  };
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
