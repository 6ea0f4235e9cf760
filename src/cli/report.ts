/** Turn errors into text and exit codes (interface sections 5 and 6). */
import { Failure } from '../errors.ts';
import { printable } from '../output/text.ts';
import { errnoText, errorCode } from '../support/errno.ts';
import type { Sink } from './context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { version } from './version.ts';

/** Convert an error to a Failure. @returns undefined for an error that is a bug in svc */
function toFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  const code = errorCode(error);
  if (!(error instanceof Error) || code === undefined || !('errno' in error)) return undefined;
  const text = errnoText(error);
  const path = 'path' in error && typeof error.path === 'string' ? `: ${error.path}` : '';
  return new Failure('internal', text === code ? error.message : `${text}${path}`, { cause: error });
}

/**
 * Print an error on standard error, without control characters.
 * @param json print a JSON object (interface section 6)
 * @returns the exit code
 */
export function report(error: unknown, stderr: Sink, json: boolean): ExitCode {
  const failure = toFailure(error);
  if (!failure) return reportBug(error, stderr, json);
  const { exchange } = failure;
  if (json) {
    writeJson(stderr, failure);
    return exitCodes[failure.kind];
  }
  const lines = [`error: ${failure.message}`, ...failure.details.map((line) => `  ${line}`)];
  if (exchange) {
    // The messages of many services start with the status.
    const hasStatus = exchange.status === undefined || failure.message.startsWith(`${exchange.status} `);
    const status = hasStatus ? '' : ` -> ${exchange.status}`;
    const id = exchange.requestId ? ` (request ${exchange.requestId})` : '';
    lines.push(`  ${exchange.method} ${exchange.url}${status}${id}`);
  }
  lines.push(...failure.hints.map((line) => `hint: ${line}`));
  stderr.write(`${lines.map((line) => printable(line)).join('\n')}\n`);
  return exitCodes[failure.kind];
}

function writeJson(stderr: Sink, { kind, message, details, hints, exchange }: Failure): void {
  const error = {
    kind,
    message,
    ...(details.length > 0 ? { details } : {}),
    status: exchange?.status ?? null,
    method: exchange?.method ?? null,
    url: exchange?.url ?? null,
    body: exchange?.body ?? null,
    request_id: exchange?.requestId ?? null,
    hint: hints.length > 0 ? hints.join('\n') : null,
  };
  stderr.write(`${jsonLine({ error })}\n`);
}

/** Serialize as JSON and escape DEL and the C1 control characters, which JSON allows and terminals interpret. */
function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function reportBug(error: unknown, stderr: Sink, json: boolean): ExitCode {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const at = error instanceof Error ? /\n\s+at (\S+)/.exec(error.stack ?? '')?.[1] : undefined;
  const message = `this is a bug in svc ${version}: ${text.replaceAll('\n', ' ')}${at ? ` (in ${at})` : ''}`;
  if (json) writeJson(stderr, new Failure('internal', message, { hint: bugHint }));
  else stderr.write(`${printable(`error: ${message}`)}\nhint: ${bugHint}\n`);
  return 1;
}

const bugHint =
  'please report it with the command line (without secrets) and the output of svc --version and node --version';
