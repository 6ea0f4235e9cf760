/** Exit codes and their meanings. */
import type { Kind } from '../errors.ts';

export const exitCodes = {
  usage: 2,
  network: 3,
  auth: 4,
  not_found: 5,
  rejected: 6,
  rate_limited: 7,
  server_error: 8,
  unsuccessful: 9,
  differs: 10,
  partial: 11,
  internal: 1,
  interrupted: 130,
  terminated: 143,
} as const satisfies Record<Kind, number>;

/** 0, a value of `exitCodes`, or the exit code of a command that svc ran. */
export type ExitCode = number;

const meanings: Readonly<Record<Kind, string>> = {
  internal:
    'an error of this machine, such as a full disk, a jq program that fails for the result, or a bug in svc',
  usage:
    'invalid command line or setting; no request was sent, except by reads whose result does not fit --fields, --sort-by or --jq',
  network: 'network error: DNS, connection refused or lost, TLS, timeout',
  auth: '401 or 403, or no token for a command that requires one',
  not_found: '404 or 410',
  rejected:
    'the service rejected the request: 400, 405, 409, 412, 413, 414, 415, 422, a write to a resource that moved (301), or the spam check',
  rate_limited: '429 after the last retry',
  server_error: '5xx, or a response that does not match the API',
  unsuccessful:
    '--wait ended with a failed or canceled result, or timed out; the receiver of a webhook event did not accept it',
  differs: 'the compared states differ, or a plan is not the saved one',
  partial: 'some of several steps failed, or their outcome is unknown; the others were done',
  interrupted: 'SIGINT or SIGQUIT',
  terminated: 'SIGTERM or SIGHUP',
};

/** The meaning of each exit code, for the documentation. */
export const exitMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'success'],
  ...(Object.keys(meanings) as Kind[]).map((kind) => [exitCodes[kind], meanings[kind]] as const),
];
