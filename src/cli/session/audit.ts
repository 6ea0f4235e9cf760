/** The audit log of writes: one line of JSON before and one after each request that can change something. */
import fs from 'node:fs';
import { resolve } from 'node:path';
import { usage } from '../../errors.ts';
import { isRead } from '../../http/policy/read-only.ts';
import { redactor } from '../../http/redact.ts';
import type { Request, Transport } from '../../http/transport.ts';
import { attempt, errnoText, errorCode, UnsuitableFile } from '../../support/errno.ts';
import { appendFlags } from '../../support/system/user-file.ts';
import { percentDecoded } from '../../support/url.ts';
import type { Context } from '../context.ts';

interface Audit {
  /** The path of the log, and the variable that contains it. */
  readonly log: { readonly value: string; readonly from: string };
  /** The root of the API; undefined for a server that is not the service. */
  readonly root: string | undefined;
  readonly command: string;
  readonly shownUrl: (url: string) => string;
  readonly secrets: readonly string[];
  readonly warn: (text: string) => void;
}

/** The streams of the program. If they were opened by path, their output and these lines would overwrite each other. */
const ownStream = /^\/dev\/(stdout|stderr)$/;

/** Append a line with a single write, so that lines of parallel processes never mix. @throws the errors of the file system */
function append(file: string, line: string): void {
  const [, stream] = ownStream.exec(file) ?? [];
  if (stream !== undefined) {
    writeWhole(stream === 'stdout' ? 1 : 2, Buffer.from(line));
    return;
  }
  const handle = fs.openSync(file, appendFlags(file), 0o600);
  try {
    fs.writeFileSync(handle, isTorn(file, fs.fstatSync(handle).size) ? `\n${line}` : line);
  } finally {
    fs.closeSync(handle);
  }
}

/** Whether a full disk has cut the last line of a file. A file that cannot be read is taken as whole. */
function isTorn(file: string, size: number): boolean {
  const handle = size === 0 ? undefined : attempt(() => fs.openSync(file, 'r'));
  if (handle === undefined) return false;
  const last = Buffer.alloc(1);
  const length = attempt(() => fs.readSync(handle, last, 0, 1, size - 1));
  fs.closeSync(handle);
  return length === 1 && last.toString() !== '\n';
}

/** Write to a stream, and wait while a pipe is full. */
function writeWhole(stream: number, bytes: Buffer): void {
  for (let rest = bytes; rest.length > 0; )
    try {
      rest = rest.subarray(fs.writeSync(stream, rest));
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
}

/** The path below the root of the API, without the query: `projects/3/jobs`. The whole URL if it is outside the API. */
export function pathBelow(url: string, root: string | undefined): string {
  const [path = ''] = url.split('?', 1);
  return root !== undefined && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/** A transport that records each write. A write whose intent cannot be recorded is not sent. */
export function auditedTransport(transport: Transport, audit: Audit, context: Context): Transport {
  const { log, root, command, shownUrl, secrets, warn } = audit;
  const file = resolve(context.cwd, log.value);
  const redact = redactor(secrets);
  const problem = (error: unknown) => `cannot write the audit log ${file}: ${errnoText(error)}`;

  const record = (id: string, phase: 'intent' | 'result', { method, url }: Request, status?: number) => {
    const shown = shownUrl(url);
    const entry = {
      at: new Date(context.now()).toISOString(),
      id,
      phase,
      command,
      method,
      url: redact(shown),
      ...(status === undefined ? {} : { status }),
      target: redact(percentDecoded(pathBelow(shown, root))),
    };
    if (log.value === '-') throw new UnsuitableFile('standard output has the result');
    append(file, `${JSON.stringify(entry)}\n`);
  };

  return {
    async send(request) {
      if (isRead(request)) return transport.send(request);
      const id = crypto.randomUUID();
      try {
        record(id, 'intent', request);
      } catch (error) {
        throw usage(`${log.from}: ${problem(error)}`, 'request not sent');
      }
      let status: number | undefined;
      try {
        const reply = await transport.send(request);
        status = reply.status;
        return reply;
      } finally {
        try {
          record(id, 'result', request, status);
        } catch (error) {
          warn(`${problem(error)}; the ${request.method} request was sent`);
        }
      }
    },
    close: () => transport.close(),
  };
}
