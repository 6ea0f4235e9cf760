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
    /^\s*at (?:(.+?) \()?((?:\w+:\/\/)?[^()\s][^()]*?):(\d+):(\d+)\)?$/.exec(line) ?? [];
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

/**
 * Parse a stack trace of Node.js, Java, Python or Ruby.
 * @returns undefined if no line is a frame
 */
export function parseStack(text: string): StackTrace | undefined {
  const lines = text.split(/\r?\n/);
  for (const read of [python, node, java, ruby]) {
    const frames = lines.flatMap((line) => read(line) ?? []);
    if (frames.length === 0) continue;
    const first = lines.findIndex((line) => read(line));
    // Python prints the exception after the frames; the others before them, after other text.
    const around =
      read === python ? lines.slice(first).filter((line) => /^\S/.test(line)) : lines.slice(0, first);
    const title = around.findLast((line) => header.test(line)) ?? '';
    const [, type, value] = header.exec(title) ?? [];
    return {
      type: type ?? 'Error',
      value: value ?? '',
      frames: read === python ? frames : frames.reverse(),
    };
  }
  return undefined;
}
