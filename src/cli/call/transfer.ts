import { resolve } from 'node:path';
import { usage } from '../../errors.ts';
import type { Request } from '../../http/transport.ts';
import type { Target } from '../../tasks/context.ts';
import type { Session } from '../session/model.ts';
import { transferText } from '../terminal/progress.ts';

/**
 * Check the path that a flag names, before anything is sent.
 * @returns undefined without the flag, or for `--output-file -`
 * @throws Failure `internal` if the file cannot be written
 */
export async function prepareTarget(
  session: Session,
  flag: 'output-file' | 'download',
): Promise<Target | undefined> {
  const given = session.options[flag === 'download' ? 'download' : 'outputFile'];
  if (given === undefined || (flag === 'output-file' && given === '-')) return undefined;
  if (given === '' || given === '-') throw usage(`--${flag} requires a path`);
  const { checkDestination } = await import('../../http/body/download.ts');
  // resolve() drops a trailing slash, which marks a folder.
  const path = `${resolve(session.context.cwd, given)}${/[/\\]$/.test(given) ? '/' : ''}`;
  const force = session.options.force === true;
  await checkDestination(path, force);
  return { path, force };
}

/** Pass bytes on, and show the progress of their transfer. */
export async function* counted(
  session: Session,
  body: AsyncIterable<Uint8Array>,
  verb: 'sent' | 'received',
  total: number | undefined,
): AsyncGenerator<Uint8Array> {
  const progress = openTransfer(session, verb);
  let done = 0;
  try {
    for await (const chunk of body) {
      yield chunk;
      done += chunk.length;
      progress.at(done, total);
    }
  } finally {
    progress.end();
  }
}

/** Show the progress of a transfer. */
export function openTransfer({ context, progress }: Session, verb: 'sent' | 'received') {
  const begun = context.now();
  let done = 0;
  let total: number | undefined;
  const end = progress.open(() => transferText({ done, total, elapsed: context.now() - begun }, verb));
  return {
    at(bytes: number, of: number | undefined) {
      done = bytes;
      total = of;
    },
    end,
  };
}

/** Add a progress indicator to the upload of a file. */
export function withUploadProgress(session: Session, request: Request): Request {
  const { body } = request;
  if (!body || 'bytes' in body) return request;
  const { open, length } = body;
  return { ...request, body: { ...body, open: () => counted(session, open(), 'sent', length) } };
}
