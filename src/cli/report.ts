/** Turn errors into text and exit codes. */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { basename, join } from 'node:path';
import type { Env } from '../config/paths.ts';
import { errorObject, Failure, forPerson } from '../errors.ts';
import { errnoText, errorCode } from '../support/errno.ts';
import { version } from '../support/installation.ts';
import { printable, printableJson } from '../support/text/printable.ts';
import type { SplitArgv } from './argv/split.ts';
import type { Sink } from './context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Cleaner } from './terminal/clean.ts';
import { type MessageStyle, messageLines, styleOf } from './terminal/message.ts';

interface ErrorOutput {
  readonly stderr: Sink;
  readonly json: boolean;
  readonly style: MessageStyle;
}

/** Choose the format of errors from the unparsed command line, because errors of parsing are reported too. */
export function errorOutput(
  { format, color }: Pick<SplitArgv, 'format' | 'color'>,
  { stderr, env }: { readonly stderr: Sink; readonly env: Env },
): ErrorOutput {
  const chosen = env['SVC_ERRORS'];
  const isJson = /^(nd)?json$/.test(format ?? env['SVC_OUTPUT'] ?? '');
  const json = chosen === 'json' || (isJson && chosen !== 'text' && stderr.isTTY !== true);
  return { stderr, json, style: styleOf(stderr, env, color) };
}

/** Convert an error to a Failure. @returns undefined for an error that is a bug in svc */
export function toFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  if (!(error instanceof Error) || code === undefined || !('errno' in error)) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? `: ${error.path}` : '';
  return new Failure('internal', `${errnoText(error)}${path}`, { cause: error });
}

/** Print an error without control characters. @param cleaner omitted if no code may be loaded @returns the exit code */
export function report(
  error: unknown,
  { stderr, json, style }: ErrorOutput,
  cleaner: Pick<Cleaner, 'clean' | 'withoutTokens'> = { clean: printable, withoutTokens: (value) => value },
): ExitCode {
  const failure = failureOf(error);
  const lines = json
    ? [printableJson(JSON.stringify(cleaner.withoutTokens(errorObject(failure))))]
    : errorText(failure, style, cleaner.clean);
  stderr.write(`${lines.join('\n')}\n`);
  return exitCodes[failure.kind];
}

export function failureOf(error: unknown): Failure {
  return toFailure(error) ?? bug(error);
}

/** The lines of an error as text. @param clean makes a line safe to show */
function errorText(
  { message, details, hints, exchange }: Failure,
  style: MessageStyle,
  clean: (text: string) => string,
): string[] {
  return [
    ...messageLines('error', clean(message), style),
    ...details.flatMap((line) => messageLines('detail', clean(line), style)),
    ...(exchange ? messageLines('request', clean(requestLine(message, exchange)), style) : []),
    ...hints.flatMap((line) => messageLines('hint', clean(line), style)),
  ];
}

function requestLine(message: string, exchange: NonNullable<Failure['exchange']>): string {
  // The messages of many services start with the status.
  const hasStatus = exchange.status === undefined || message.startsWith(`${exchange.status} `);
  const status = hasStatus ? '' : ` -> ${exchange.status}`;
  const id = exchange.requestId ? ` (request ${exchange.requestId})` : '';
  return `${exchange.method} ${exchange.url}${status}${id}`;
}

function bug(error: unknown): Failure {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new Failure('internal', `unexpected error, a bug in svc ${version}: ${text.replaceAll('\n', ' ')}`, {
    details: error instanceof Error ? placesOf(error.stack ?? '') : [],
    hint: forPerson(
      'report it with the command line (without secrets) and the output of svc --version and node --version',
    ),
    cause: error,
  });
}

/** The functions of a stack trace with their source files, which a checkout has maps for; otherwise the function of the error. */
function placesOf(stack: string): string[] {
  const places: string[] = [];
  for (const [, name = '', file = '', line, column] of stack.matchAll(
    /^ +at (?:(.*) \()?(.*):(\d+):(\d+)\)?$/gm,
  )) {
    try {
      // Cached code names the folder of the installation that saved it.
      const map = join(import.meta.dirname, `${basename(file)}.map`);
      const found = new SourceMap(JSON.parse(readFileSync(map, 'utf8'))).findEntry(
        Number(line) - 1,
        Number(column) - 1,
      );
      if (!('originalSource' in found)) continue;
      const place = `${join(import.meta.dirname, found.originalSource)}:${found.originalLine + 1}`;
      places.push(name === '' ? `at ${place}` : `in ${name} (${place})`);
    } catch {
      // A file of Node, or of a published package.
    }
  }
  const [, first] = /\n +at (\S+)/.exec(stack) ?? [];
  return places.length === 0 && first !== undefined ? [`in ${first}`] : places;
}
