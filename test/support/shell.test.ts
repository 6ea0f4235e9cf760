import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandLine, shellQuote } from '../../src/support/shell.ts';
import { suspicious } from '../../src/support/text/printable.ts';

const script = (line: string) => `show() { printf '%s\\0' "$@"; }; show ${line}`;
const read = (shell: readonly string[], line: string): string[] =>
  execFileSync(shell[0] ?? '', [...shell.slice(1), '-c', script(line)], {
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  })
    .toString()
    .split('\0')
    .slice(0, -1);

const text = fc.string({ unit: 'binary', maxLength: 20 }).map((one) => one.replaceAll('\0', ''));
const tricky = fc.stringMatching(/^[ -~\n\r\t\x1b\x9b\u2028\u202e'"\\$`!*#;&|<>()-]{0,12}$/);

describe('a command line to copy', () => {
  it('is read by bash as exactly these words, and has no character that a terminal interprets', () => {
    const words = [...fc.sample(text, 300), ...fc.sample(tricky, 300), '', "it's", '-x', '~', 'a\n', '\\033'];
    const line = commandLine(words);
    expect(line).not.toMatch(suspicious);
    expect(read(['bash', '--norc'], line)).toEqual(words);
  });

  it('is read by any POSIX shell if no word has control characters', () => {
    const words = fc.sample(fc.stringMatching(/^[ -~äß→]{0,12}$/u), 300);
    expect(read(['sh'], commandLine(words))).toEqual(words);
  });

  it('keeps plain words readable', () => {
    expect(commandLine(['svc', 'jobs', 'get', '7', '--project', 'acme/rocket'])).toBe(
      'svc jobs get 7 --project acme/rocket',
    );
    expect(['a b', '=ls'].map(shellQuote)).toEqual(["'a b'", "'=ls'"]);
  });
});
