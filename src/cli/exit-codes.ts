/** The one place where an error becomes words and an exit code (interface sections 5 and 6). */
import { Failure, type Kind } from '../errors.ts';
import { printable } from '../output/text.ts';
import type { Sink } from './context.ts';
import { version } from './version.ts';

export const exitCodes = {
  usage: 2,
  network: 3,
  auth: 4,
  missing: 5,
  refused: 6,
  throttled: 7,
  broken: 8,
  outcome: 9,
  local: 1,
  interrupted: 130,
  terminated: 143,
} as const satisfies Record<Kind, number>;

/** What `exitCodes` gives; 0; or, of a command that svc ran, any other. */
export type ExitCode = number;

const meanings: Readonly<Record<Kind, string>> = {
  local: 'anything not below; a bug in svc prints how to report it',
  usage: 'the command line, or a setting, is wrong; nothing was sent',
  network: 'the request could not be made: DNS, refused, TLS, timeout, broken off',
  auth: '401 or 403, or no token where one is needed',
  missing: '404 (also 410)',
  refused: 'the service rejected the request: 301 to a write, 400, 405, 409, 412, 414, 422, spam check',
  throttled: '429, when retries ran out',
  broken: '5xx, or an answer that is not what the API promises',
  outcome: '--wait ended on a failed or canceled outcome',
  interrupted: 'SIGINT',
  terminated: 'SIGTERM',
};

/** What each code means, for the documentation; in order. */
export const exitMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done'],
  ...(Object.keys(meanings) as Kind[]).map((kind) => [exitCodes[kind], meanings[kind]] as const),
];

/** An error of the operating system, as Node gives it. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return (
    error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string' && 'errno' in error
  );
}

const systemWords: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EACCES: 'permission denied',
  EIO: 'input/output error',
};

/** Any thrown thing as a Failure; what is none of ours is a bug, or this machine's refusal. */
function toFailure(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (isSystemError(error)) {
    const { code = '', path, message } = error;
    // Node's own: `ENOENT: no such file or directory, mkdir '/proc/svc'`
    const what = systemWords[code] ?? /^[A-Z0-9_]+: ([^,]+), /.exec(message)?.[1];
    const says = what === undefined ? message : `${what}${path ? `: ${path}` : ''}`;
    return new Failure('local', says, { cause: error });
  }
  return undefined;
}

/**
 * Tell of an error on standard error, without anything that a terminal would obey.
 * @param json as one JSON object (interface section 6)
 * @returns the exit code
 */
export function report(error: unknown, stderr: Sink, json: boolean): ExitCode {
  const failure = toFailure(error);
  if (!failure) return reportBug(error, stderr, json);
  const { exchange } = failure;
  if (json) {
    const body = {
      kind: failure.kind,
      message: failure.message,
      ...(failure.details.length > 0 ? { details: failure.details } : {}),
      status: exchange?.status ?? null,
      method: exchange?.method ?? null,
      url: exchange?.url ?? null,
      body: exchange?.body ?? null,
      request_id: exchange?.requestId ?? null,
      hint: failure.hints.length > 0 ? failure.hints.join('\n') : null,
    };
    stderr.write(`${jsonLine({ error: body })}\n`);
    return exitCodes[failure.kind];
  }
  const lines = [`svc: ${failure.message}`, ...failure.details.map((line) => `  ${line}`)];
  if (exchange) {
    // Services often begin their message with it.
    const told = exchange.status === undefined || failure.message.startsWith(`${exchange.status} `);
    const status = told ? '' : ` -> ${exchange.status}`;
    const id = exchange.requestId ? ` (request ${exchange.requestId})` : '';
    lines.push(`  ${exchange.method} ${exchange.url}${status}${id}`);
  }
  lines.push(...failure.hints.map((line) => `  hint: ${line}`));
  stderr.write(`${lines.map((line) => printable(line)).join('\n')}\n`);
  return exitCodes[failure.kind];
}

/** JSON without DEL and the C1 control characters, which a terminal obeys and JSON allows. */
function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function reportBug(error: unknown, stderr: Sink, json: boolean): ExitCode {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  if (json) {
    stderr.write(
      `${jsonLine({ error: { kind: 'bug', message, status: null, method: null, url: null, body: null, request_id: null, hint: bugHint } })}\n`,
    );
    return 1;
  }
  const where = error instanceof Error ? /\n\s+at (\S+)/.exec(error.stack ?? '')?.[1] : undefined;
  const told = `svc: this is a bug in svc ${version}: ${message.replaceAll('\n', ' ')}${where ? ` (in ${where})` : ''}`;
  stderr.write(`${printable(told)}\n  hint: ${bugHint}\n`);
  return 1;
}

const bugHint =
  'please report it with the command line (without secrets) and the output of svc --version and node --version';
