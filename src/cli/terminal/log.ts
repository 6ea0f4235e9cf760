/** Notes, warnings and traces on standard error. */

import type { Event } from '../../http/client.ts';
import { redactor } from '../../http/redact.ts';
import type { Header } from '../../http/transport.ts';
import type { Field, Fields } from '../../spec/field.ts';
import { isGuarded, isSecretHeader, maskedUrl, secretTexts, withoutSecrets } from '../../spec/mask.ts';
import { jsonIn } from '../../support/json.ts';
import { mask } from '../../support/mask.ts';
import { showDuration } from '../../support/number.ts';
import { printable } from '../../support/text/printable.ts';
import type { Options } from '../argv/flags.ts';
import type { Context, Sink } from '../context.ts';
import type { Cleaner } from './clean.ts';
import { messageLines } from './message.ts';
import { doneMark, type Terminal } from './terminal.ts';

export type Notes = ReturnType<typeof createNotes>;

interface NotesInput {
  readonly options: Options;
  readonly context: Context;
  readonly terminal: Terminal & Cleaner;
  readonly fields: Fields;
  readonly secrets: readonly string[];
}

/** Secrets beyond which a body is left out: each is searched in each text. */
const maxSecrets = 500;

/**
 * The JSON of a body without its secrets, also where another text of it repeats them.
 * @param text JSON @returns undefined for other text, and for a body with too many secrets
 */
export function maskedBody(text: string, fields: Fields, secrets: readonly string[]): string | undefined {
  const value = jsonIn(text);
  const own = secretTexts(value, fields);
  if (value === undefined || own.length > maxSecrets) return undefined;
  const show = redactor([...secrets, ...own]);
  const isSecretNumber = (item: unknown) => typeof item === 'number' && show(String(item)) === mask;
  const hidesAlso = (item: unknown, field?: Field) => isGuarded(item, field) || isSecretNumber(item);
  return JSON.stringify(withoutSecrets(value, fields, { hide: () => mask, hidesAlso, show }));
}

/** Create the notes of a command. Secrets are masked and control characters are removed. */
export function createNotes({ options, context, terminal, fields, secrets }: NotesInput) {
  const { stderr } = context;
  const { quiet = false, verbose = false, trace = false } = options;
  const redact = redactor(secrets);
  const print = (text: string) => stderr.write(`${terminal.clean(text)}\n`);
  const write = (text: string) => print(redact(text));
  let last: string | undefined;
  const say = (text: string) => {
    last = redact(text);
    if (!quiet) write(text);
  };
  const mark = doneMark(context);
  const shown = (url: string) => maskedUrl(url, fields);
  const bodyText = (bytes: Uint8Array) => {
    const text = Buffer.from(bytes).toString('utf8');
    return maskedBody(text, fields, secrets) ?? `(${text.length} characters, not JSON or too many secrets)`;
  };
  const traceHeaders = (arrow: string, headers: readonly Header[]) => {
    for (const [name, value] of trace ? headers : [])
      write(`${arrow} ${name}: ${isSecretHeader(name) ? mask : shown(value)}`);
  };
  const printed = new Set<string>();
  const isNew = (text: string) => printed.size < printed.add(text).size;
  return {
    /** Print a line, unless `--quiet`. */
    say,
    /** The last line, also with `--quiet`. */
    last: () => last,
    /** Print a line once, unless `--quiet`. */
    sayOnce(text: string) {
      if (isNew(text)) say(text);
    },
    /** Confirm a write, unless `--quiet`. */
    done: (sentence: string) => say(`${mark}${sentence}`),
    /** Confirm a write in a sentence whose secrets are masked already. */
    confirmed(sentence: string) {
      if (!quiet) print(`${mark}${sentence}`);
    },
    redact,
    /** Print a line once, also with `--quiet`: a deprecation, an insecure connection. */
    warn(text: string) {
      if (!isNew(text)) return;
      const lines = messageLines('warning', terminal.clean(redact(text)), terminal.messages);
      stderr.write(lines.map((line) => `${line}\n`).join(''));
    },
    event(event: Event) {
      switch (event.kind) {
        case 'wait': {
          const { reason, ms, attempt, of } = event;
          return say(`${reason}; retrying in ${showDuration(ms / 1000)} (attempt ${attempt} of ${of})`);
        }
        case 'pause':
          return say(`rate limit reached; continuing in ${showDuration(event.ms / 1000)}`);
        case 'moved':
          return say(`moved (${event.status}): use ${shown(event.to)}`);
        case 'body': {
          const { bytes, length } = event;
          const part = length > bytes.length ? `(first ${bytes.length} of ${length} bytes) ` : '';
          return write(`< ${part}${bodyText(bytes)}`);
        }
        case 'request':
          if (verbose || trace) write(`> ${event.method} ${shown(event.url)}`);
          traceHeaders('>', event.headers);
          if (trace && event.body) write(`> ${bodyText(event.body)}`);
          return;
        case 'response':
          if (verbose || trace)
            write(`< ${event.status} ${event.method} ${shown(event.url)} (${event.ms} ms)`);
          traceHeaders('<', event.headers);
      }
    },
  };
}

/** Confirm a change on this machine, unless `--quiet`. @param text a sentence, and further lines @returns exit code 0 */
export function confirmChange(
  context: Pick<Context, 'env' | 'stderr'>,
  options: Pick<Options, 'quiet'>,
  text: string | readonly string[],
): 0 {
  if (options.quiet === true) return 0;
  const [sentence = '', ...more] = typeof text === 'string' ? [text] : text;
  const lines = [`${doneMark(context)}${sentence}`, ...more.map((line) => `  ${line}`)];
  context.stderr.write(lines.map((line) => `${printable(line)}\n`).join(''));
  return 0;
}

/** Print more about the result of a command on a terminal, unless `--quiet`. */
export function noteFor(
  { stderr }: { readonly stderr: Sink },
  options: Pick<Options, 'quiet'>,
  text: string,
): void {
  if (stderr.isTTY && options.quiet !== true) stderr.write(`${printable(text)}\n`);
}
