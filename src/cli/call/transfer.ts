import { resolve } from 'node:path';
import { usage } from '../../errors.ts';
import type { DownloadFile } from '../../http/body/download.ts';
import { type Header, header, type Reply, type Request } from '../../http/transport.ts';
import type { Session } from '../session/model.ts';
import { shareOf, transferText } from '../terminal/progress.ts';

/** Headers of a download. Without compression, its length and checksum can be verified. */
const downloadHeaders: readonly Header[] = [
  ['accept', '*/*'],
  ['accept-encoding', 'identity'],
];

/** Check the path that a flag names, before anything is sent. @throws Failure `internal` if the file cannot be written */
export async function prepareTarget(session: Session, flag: 'output-file' | 'download') {
  const given = session.options[flag === 'download' ? 'download' : 'outputFile'];
  if (given === undefined || given === '-') return undefined;
  if (given === '') throw usage(`--${flag} requires a path`);
  const { checkDestination } = await import('../../http/body/download.ts');
  // resolve() drops a trailing slash, which marks a folder.
  const path = `${resolve(session.context.cwd, given)}${/[/\\]$/.test(given) ? '/' : ''}`;
  const force = session.options.force === true;
  await checkDestination(path, force);
  return { path, force };
}

export async function* counted(
  { context, progress }: Session,
  body: AsyncIterable<Uint8Array>,
  verb: 'sent' | 'received',
  total: number | undefined,
): AsyncGenerator<Uint8Array> {
  const begun = context.now();
  let done = 0;
  const end = progress.open(() => {
    const amount = { done, total, elapsed: context.now() - begun };
    return { text: transferText(amount, verb), share: shareOf(amount) };
  });
  try {
    for await (const chunk of body) {
      yield chunk;
      done += chunk.length;
    }
  } finally {
    end();
  }
}

/** Prepare the transfer of a file: the progress of an upload, or the headers and the target of a download. */
export async function prepareTransfer(session: Session, request: Request) {
  const { body, headers } = request;
  if (body && 'open' in body) {
    const open = () => counted(session, body.open(), 'sent', body.length);
    return { request: { ...request, body: { ...body, open } } };
  }
  const target = await prepareTarget(session, 'output-file');
  return { request: { ...request, headers: [...headers, ...downloadHeaders] }, target };
}

export function lengthOf({ headers }: Reply): number | undefined {
  const length = header(headers, 'content-length');
  return length === undefined ? undefined : Number(length);
}

export async function saveTo(session: Session, reply: Reply, target: DownloadFile): Promise<void> {
  const { download } = await import('../../http/body/download.ts');
  const body = counted(session, reply.body, 'received', lengthOf(reply));
  const saved = await download({ ...reply, body }, target);
  session.notes.say(`${saved.bytes} bytes written to ${saved.path}`);
}
