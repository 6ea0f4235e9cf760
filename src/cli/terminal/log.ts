/** Notes, warnings and traces on standard error. */

import type { Event } from '../../http/client.ts';
import { type Redact, redactor, redactValue } from '../../http/redact.ts';
import type { Header } from '../../http/transport.ts';
import type { Fields } from '../../spec/field.ts';
import { isSecretHeader, masked, maskedUrl } from '../../spec/mask.ts';
import { mask } from '../../support/mask.ts';
import { printable } from '../../support/text/printable.ts';
import type { Options } from '../argv/flags.ts';
import type { Context, Sink } from '../context.ts';
import { type MessageStyle, messageLines } from './message.ts';
import { doneMark } from './terminal.ts';

export interface Notes {
  /** Print a line, unless `--quiet`. */
  say(text: string): void;
  /** Confirm a write, unless `--quiet`. */
  done(sentence: string): void;
  /** Confirm a write in a sentence whose secrets are masked already. */
  confirmed(sentence: string): void;
  /** Mask the secrets that are known by now. */
  readonly redact: Redact;
  /** Print a line once, also with `--quiet`: a deprecation, an insecure connection. */
  warn(text: string): void;
  event(event: Event): void;
}

export interface NotesOptions {
  readonly stderr: Sink;
  readonly style: MessageStyle;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly trace: boolean;
  readonly fields: Fields;
  /** Texts to mask. */
  readonly secrets: readonly string[];
  readonly clean: (text: string) => string;
  /** The start of a confirmation; see `doneMark`. */
  readonly mark: string;
}

/** Create the notes of a command. Secrets are masked and control characters are removed. */
export function createNotes(options: NotesOptions): Notes {
  const { stderr, fields } = options;
  const redact = redactor(options.secrets);
  const print = (text: string) => stderr.write(`${options.clean(text)}\n`);
  const write = (text: string) => print(redact(text));
  const say = (text: string) => {
    if (!options.quiet) write(text);
  };
  const seen = new Set<string>();
  return {
    say,
    done(sentence) {
      if (!options.quiet) write(`${options.mark}${sentence}`);
    },
    confirmed(sentence) {
      if (!options.quiet) print(`${options.mark}${sentence}`);
    },
    redact,
    warn: (text) => {
      if (!seen.has(text))
        for (const line of messageLines('warning', options.clean(redact(text)), options.style))
          stderr.write(`${line}\n`);
      seen.add(text);
    },
    event(event) {
      switch (event.kind) {
        case 'wait':
          return say(
            `${event.reason}; retrying in ${seconds(event.ms)} (attempt ${event.attempt} of ${event.of})`,
          );
        case 'pause':
          return say(`rate limit reached; continuing in ${seconds(event.ms)}`);
        case 'moved':
          return say(`moved (${event.status}): use ${maskedUrl(event.to, fields)}`);
        case 'body':
          return write(
            `${event.length > event.bytes.length ? `< (first ${event.bytes.length} of ${event.length} bytes) ` : '< '}${tracedText(Buffer.from(event.bytes).toString('utf8'), fields, redact)}`,
          );
        case 'request':
          if (options.verbose || options.trace) write(`> ${event.method} ${maskedUrl(event.url, fields)}`);
          if (options.trace) traceBody(write, '>', event.headers, event.body, fields, redact);
          return;
        case 'response':
          if (options.verbose || options.trace) {
            write(`< ${event.status} ${event.method} ${maskedUrl(event.url, fields)} (${event.ms} ms)`);
          }
          if (options.trace) traceBody(write, '<', event.headers, undefined, fields, redact);
      }
    },
  };
}

/** Confirm a change on this machine, unless `--quiet`. @param text a sentence, and further lines such as the next step */
export function confirmChange(
  context: Pick<Context, 'env' | 'stderr'>,
  options: Pick<Options, 'quiet'>,
  text: string | readonly string[],
): void {
  if (options.quiet === true) return;
  const [sentence = '', ...more] = typeof text === 'string' ? [text] : text;
  const lines = [`${doneMark(context)}${sentence}`, ...more.map((line) => `  ${line}`)];
  context.stderr.write(lines.map((line) => `${printable(line)}\n`).join(''));
}

/** Print more about the result of a command on a terminal, unless `--quiet`. */
export function noteFor(
  { stderr }: { readonly stderr: Sink },
  options: Pick<Options, 'quiet'>,
  text: string,
): void {
  if (stderr.isTTY && options.quiet !== true) stderr.write(`${printable(text)}\n`);
}

function traceBody(
  write: (text: string) => void,
  arrow: string,
  headers: readonly Header[],
  body: Uint8Array | undefined,
  fields: Fields,
  redact: Redact,
): void {
  for (const [name, value] of headers)
    write(`${arrow} ${name}: ${isSecretHeader(name) ? mask : maskedUrl(value, fields)}`);
  if (body) write(`${arrow} ${tracedText(Buffer.from(body).toString('utf8'), fields, redact)}`);
}

/** Format a body for the trace: JSON with its secrets masked, or the length of other text. */
function tracedText(text: string, fields: Fields, redact: Redact): string {
  try {
    return JSON.stringify(redactValue(masked(JSON.parse(text), fields), redact));
  } catch {
    return `(${text.length} characters, not JSON)`;
  }
}

/** Format milliseconds: `250 ms`, `1.5 s`. */
export function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}
