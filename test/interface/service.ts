import { PassThrough } from 'node:stream';
import { expect } from 'vitest';
import type { Sink } from '../../src/cli/context.ts';
import { run } from '../../src/cli/run.ts';
import type { Request } from '../../src/http/transport.ts';
import { folderWith } from '../support/folders.ts';
import { type Canned, canned, contextWith, type Ran, recording, type Setting, svc } from '../support/svc.ts';

export { folderWith };

export const host = 'https://host.example';
export const root = `${host}/api/v4`;
export const token = 'svcpat-Zq81LmPw';

const settings = { SVC_BASE_URL: host, SVC_TOKEN: token };

/** Run a command line against a service with this response, by default an empty object. */
export function ask(
  line: string | readonly string[],
  answer: Canned | ((request: Request, number: number) => Canned) = { body: '{}' },
  setting: Setting = {},
): Promise<Ran> {
  const transport = canned(typeof answer === 'function' ? answer : () => answer);
  return svc(line, { transport, ...setting, env: { ...settings, ...setting.env } });
}

/** Return the request of a command line, from `--dry-run`. */
export async function planned(
  line: string | readonly string[],
  setting: Setting = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests read any property
): Promise<any> {
  const argv = typeof line === 'string' ? `${line} --dry-run` : [...line, '--dry-run'];
  const ran = await ask(argv, undefined, setting);
  expect(ran.err.replace(/^warning: .*\n/gm, ''), String(line)).toBe('');
  expect([ran.code, ran.requests.length], String(line)).toEqual([0, 0]);
  return JSON.parse(ran.out);
}

/** Return the request with its secrets unmasked. */
export const plannedInClear = (line: string, setting: Setting = {}) =>
  planned(`${line} --show-secrets`, setting);

/** Expect exit code 2 and these texts on standard error, before a request is sent. */
export async function refused(...command: Parameters<typeof refusal>): Promise<void> {
  await refusal(...command);
}

/** The same. @returns standard error */
export async function refusal(
  line: string | readonly string[],
  says: readonly (string | RegExp)[] = [],
  setting: Setting = {},
): Promise<string> {
  const ran = await ask(line, undefined, setting);
  expect([ran.code, ran.out, ran.requests.length], `${line}\n${ran.err}`).toEqual([2, '', 0]);
  for (const one of says) expect(ran.err).toMatch(one);
  return ran.err;
}

/** Create a profile file. @returns the environment that selects it */
export const profileFile = async (data: object) => ({
  SVC_CONFIG_DIR: await folderWith({ 'profiles.json': JSON.stringify(data) }),
});

/** Create a profile file whose current profile has these settings. @returns the environment that selects it */
export const workProfile = (work: object) => profileFile({ current: 'work', profiles: { work } });

/** Return a header of a request, if it has one. */
export function headerOf(request: Request | undefined, name: string): string | undefined {
  return request?.headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Return the JSON body of a request. */
export function bodyOf(request: Request | undefined): unknown {
  return request?.body && 'bytes' in request.body
    ? JSON.parse(Buffer.from(request.body.bytes).toString('utf8'))
    : undefined;
}

/** A terminal that keeps what is written to it. */
export class Screen extends PassThrough {
  readonly isTTY = true;
  readonly rows = 24;
  readonly columns: number;
  readonly onText: (chunk: string) => void;
  text = '';
  constructor(columns = 80, onText: (chunk: string) => void = () => {}) {
    super();
    this.columns = columns;
    this.onText = onText;
  }
  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8');
    this.onText(chunk.toString('utf8'));
    done();
  }
}

/** Run a command line on a terminal where a user types these lines. */
export async function typing(
  argv: readonly string[],
  lines: string,
  setting: Setting = {},
  answer: Canned | ((request: Request) => Canned) = { body: '{}' },
): Promise<Ran & { readonly shown: string }> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const [stdout, stderr] = [new Screen(), new Screen()];
  stdin.write(lines);
  const requests: Request[] = [];
  const transport = recording(canned(typeof answer === 'function' ? answer : () => answer), requests);
  const streams = { stdin, stdout: stdout as unknown as Sink, stderr: stderr as unknown as Sink };
  const code = await run(argv, contextWith({ ...streams, transport, env: { ...settings, ...setting.env } }));
  return { code, out: stdout.text, err: stderr.text, requests, shown: stdout.text + stderr.text };
}
