/** Exit codes and their meanings. */
import type { Kind } from '../errors.ts';

const kinds = {
  internal: [
    1,
    'an error of this machine, such as a full disk, a jq program that fails for the result, or a bug in svc',
  ],
  usage: [
    2,
    'invalid command line or setting, or no confirmation; nothing was changed, and no request was sent except reads',
  ],
  network: [
    3,
    'network error: DNS, connection refused or lost, TLS, timeout; a write may have been executed',
  ],
  auth: [4, '401 or 403, or no token for a command that requires one'],
  not_found: [5, '404 or 410'],
  rejected: [
    6,
    'the service rejected the request: any other status from 400 to 499, a write to a resource that moved (301), or the spam check',
  ],
  rate_limited: [7, '429 after the last retry'],
  server_error: [8, '5xx, or a response that does not match the API; a write may have been executed'],
  unsuccessful: [
    9,
    '--wait ended with a failed or canceled result, or timed out; the receiver of a webhook event did not accept it; --rehearse, --fail-over or a report such as hooks health found a problem',
  ],
  differs: [10, 'the compared states differ, or a plan is not the saved one'],
  partial: [11, 'some of several steps failed, or all in different ways, or an outcome is unknown'],
  interrupted: [130, 'SIGINT or SIGQUIT'],
  terminated: [143, 'SIGTERM or SIGHUP'],
} as const satisfies Readonly<Record<Kind, readonly [code: number, meaning: string]>>;

export const exitCodes = Object.fromEntries(Object.entries(kinds).map(([kind, [code]]) => [kind, code])) as {
  readonly [K in Kind]: (typeof kinds)[K][0];
};

/** 0, a value of `exitCodes`, or the exit code of a command that svc ran. */
export type ExitCode = number;

export const exitMeanings: readonly (readonly [code: number, meaning: string, kind?: string])[] = [
  [0, 'success'],
  ...Object.entries(kinds).map(([kind, [code, meaning]]) => [code, meaning, kind] as const),
];
