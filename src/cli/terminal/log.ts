/** Lines on standard error that are no errors: what `--verbose` and `--trace` say, waits, what is left of a list. */

import type { Event } from '../../http/client.ts';
import { type Redact, redactor, redactValue } from '../../http/redact.ts';
import type { Header } from '../../http/transport.ts';
import type { Fields } from '../../spec/field.ts';
import { isSecretName, masked, maskedUrl } from '../../spec/mask.ts';
import { mask } from '../../support/mask.ts';
import type { Options } from '../argv/flags.ts';
import type { Sink } from '../context.ts';

export interface Notes {
  /** One line, unless `--quiet`. */
  say(text: string): void;
  /** What a user must see whatever they asked for: a deprecation, an insecure connection. */
  warn(text: string): void;
  event(event: Event): void;
}

export interface NotesOptions {
  readonly stderr: Sink;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly trace: boolean;
  readonly fields: Fields;
  /** Texts that must not be seen wherever they turn up. */
  readonly secrets: readonly string[];
  readonly clean: (text: string) => string;
}

/** The lines of one command: every secret that is known by then is masked, and what a terminal would obey is taken out. */
export function createNotes(options: NotesOptions): Notes {
  const { stderr, fields } = options;
  // More secrets become known during the command.
  let known = -1;
  let current: Redact;
  const redact: Redact = (text) => {
    if (known !== options.secrets.length) current = redactor(options.secrets);
    known = options.secrets.length;
    return current(text);
  };
  const write = (text: string) => stderr.write(`${options.clean(redact(text))}\n`);
  const say = (text: string) => {
    if (!options.quiet) write(`svc: ${text}`);
  };
  const seen = new Set<string>();
  return {
    say,
    warn: (text) => {
      if (!seen.has(text)) write(`svc: ${text}`);
      seen.add(text);
    },
    event(event) {
      switch (event.kind) {
        case 'wait':
          return say(`${event.reason}; waiting ${seconds(event.ms)} (try ${event.attempt} of ${event.of})`);
        case 'moved':
          return say(`moved (${event.status}): use ${maskedUrl(event.to, fields)}`);
        case 'body':
          return write(
            `${event.length > event.bytes.length ? `< (the first ${event.bytes.length} of ${event.length} bytes) ` : '< '}${tracedText(Buffer.from(event.bytes).toString('utf8'), fields, redact)}`,
          );
        case 'request':
          if (options.verbose || options.trace) write(`> ${event.method} ${maskedUrl(event.url, fields)}`);
          if (options.trace) traceBody(write, '>', event.headers, event.body, fields, redact);
          return;
        case 'reply':
          if (options.verbose || options.trace) {
            write(`< ${event.status} ${event.method} ${maskedUrl(event.url, fields)} (${event.ms} ms)`);
          }
          if (options.trace) traceBody(write, '<', event.headers, undefined, fields, redact);
      }
    },
  };
}

/** What a command of `svc` itself has done, for a person: on a terminal, unless `--quiet`. A script reads the exit code. */
export function noteFor(
  { stderr }: { readonly stderr: Sink },
  options: Pick<Options, 'quiet'>,
  text: string,
): void {
  if (stderr.isTTY && options.quiet !== true) stderr.write(`svc: ${text}\n`);
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
    write(`${arrow} ${name}: ${isSecretName(name) ? mask : maskedUrl(value, fields)}`);
  if (body) write(`${arrow} ${tracedText(Buffer.from(body).toString('utf8'), fields, redact)}`);
}

/** A body for the trace: JSON with its secrets masked, anything else by its length. */
function tracedText(text: string, fields: Fields, redact: Redact): string {
  try {
    return JSON.stringify(redactValue(masked(JSON.parse(text), fields), redact));
  } catch {
    return `(${text.length} characters, not JSON)`;
  }
}

/** Milliseconds in words: `250 ms`, `1.5 s`. */
export function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}
