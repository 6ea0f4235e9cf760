/** The exit codes and what they mean (interface section 5). */
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
  internal: 1,
  interrupted: 130,
  terminated: 143,
} as const satisfies Record<Kind, number>;

/** What `exitCodes` gives; 0; or, of a command that svc ran, any other. */
export type ExitCode = number;

const meanings: Readonly<Record<Kind, string>> = {
  internal: 'anything not below; a bug in svc prints how to report it',
  usage: 'the command line, or a setting, is wrong; nothing was sent',
  network: 'the request could not be made: DNS, refused, TLS, timeout, broken off',
  auth: '401 or 403, or no token where one is needed',
  not_found: '404 (also 410)',
  rejected: 'the service rejected the request: 301 to a write, 400, 405, 409, 412, 414, 422, spam check',
  rate_limited: '429, when retries ran out',
  server_error: '5xx, or an answer that is not what the API promises',
  unsuccessful: '--wait ended on a failed or canceled outcome',
  interrupted: 'SIGINT',
  terminated: 'SIGTERM',
};

/** What each code means, for the documentation; in order. */
export const exitMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done'],
  ...(Object.keys(meanings) as Kind[]).map((kind) => [exitCodes[kind], meanings[kind]] as const),
];
