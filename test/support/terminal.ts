/** Runs the built program on a new terminal, with `script` of util-linux. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { command, type Home, until } from './process.ts';

/** Whether this machine can open terminals. Without `script`, tests of terminals are skipped. */
export const hasTerminals = (() => {
  try {
    return /util-linux/.test(execFileSync('script', ['--version'], { encoding: 'utf8' }));
  } catch {
    return false;
  }
})();

export interface OnTerminal {
  readonly child: ChildProcess;
  /** Everything that was written to the terminal so far. */
  seen(): string;
  /** Wait until a text was written. */
  sees(text: string): Promise<void>;
  type(keys: string): void;
  /** Wait for the end. @returns what a person sees, including lines that scrolled away, and the exit code */
  end(): Promise<{ readonly code: number; readonly lines: readonly string[]; readonly seen: string }>;
}

export const quoted = (argv: readonly string[]): string =>
  [...command, ...argv].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');

/**
 * Run a shell line on a terminal. `quoted(argv)` is the program in it.
 * @param size columns and rows
 */
export function onTerminal(
  home: Home,
  line: string,
  env: Readonly<Record<string, string>> = {},
  [columns, rows] = [80, 24],
): OnTerminal {
  const child = spawn(
    'script',
    ['-qefc', `trap : INT; stty cols ${columns} rows ${rows}; ${line}; echo "code=$?"`, '/dev/null'],
    {
      env: { ...home.env, TERM: 'xterm-256color', LANG: 'C.UTF-8', SHELL: '/bin/sh', ...env },
      cwd: home.path,
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  let seen = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    seen += text;
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  return {
    child,
    seen: () => seen,
    sees: (text) => until(text, () => seen.includes(text)),
    type: (keys) => void child.stdin?.write(keys),
    async end() {
      await until('the end of the command', () => /code=\d+\r?\n/.test(seen));
      child.stdin?.end();
      await closed;
      const lines = linesOn(seen, columns);
      const code = Number(/^code=(\d+)$/.exec(lines.at(-1) ?? '')?.[1]);
      return { code, lines: lines.slice(0, -1), seen };
    },
  };
}

/** The lines that a terminal shows, for the escape sequences that the program uses. Wide characters are not supported. */
export function linesOn(output: string, columns: number): string[] {
  const lines: string[][] = [[]];
  let row = 0;
  let column = 0;
  const put = (char: string) => {
    if (column === columns) {
      row++;
      column = 0;
    }
    while (lines.length <= row) lines.push([]);
    const line = lines[row] as string[];
    while (line.length < column) line.push(' ');
    line[column++] = char;
  };
  for (const [, sequence, count, command, char = ''] of output.matchAll(
    /(\u001b\[\??([\d;]*)([A-Za-z]))|([\s\S])/gu,
  )) {
    const number = Number(count || 0);
    if (sequence === undefined) {
      if (char === '\n') row++;
      else if (char === '\r') column = 0;
      else put(char);
    } else if (command === 'G') column = Math.max(0, number - 1);
    else if (command === 'A') row = Math.max(0, row - Math.max(1, number));
    else if (command === 'K') (lines[row] ?? []).splice(number === 0 ? column : 0);
    while (lines.length <= row) lines.push([]);
  }
  const texts = lines.map((line) => line.join('').trimEnd());
  return texts.at(-1) === '' ? texts.slice(0, -1) : texts;
}
