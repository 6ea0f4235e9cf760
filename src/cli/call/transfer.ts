import { resolve } from 'node:path';
import type { Reply, Request } from '../../http/transport.ts';
import type { Target } from '../../tasks/context.ts';
import type { Session } from '../session/model.ts';
import { openTransfer } from '../terminal/progress.ts';
import { readOutputOptions } from './output-options.ts';

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
  const { checkDestination } = await import('../../http/body/download.ts');
  // resolve() drops a trailing slash, which marks a folder.
  const path = `${resolve(session.context.cwd, given)}${/[/\\]$/.test(given) ? '/' : ''}`;
  const force = session.options.force === true;
  await checkDestination(path, force);
  return { path, force };
}

/** Print the bytes of a response, or save them to a file. */
export async function printRaw(
  session: Session,
  request: Request,
  reply: Reply,
  target: Target | undefined,
): Promise<void> {
  if (target) {
    const { download } = await import('../../http/body/download.ts');
    const progress = openTransfer(session, 'received');
    const saved = await download(reply, { ...target, url: request.url, progress: progress.at }).finally(
      progress.end,
    );
    session.notes.say(`${saved.bytes} bytes written to ${saved.path}`);
    return;
  }
  const { createOutput } = await import('../../output/index.ts');
  const options = { ...readOutputOptions(session), format: 'raw' } as const;
  await createOutput(options, session.context.stdout).raw(reply.body);
}

/** Add a progress indicator to the upload of a file. */
export function withUploadProgress(session: Session, request: Request): Request {
  const { body } = request;
  if (!body || 'bytes' in body) return request;
  const { open, length } = body;
  const counted = async function* () {
    const progress = openTransfer(session, 'sent');
    let sent = 0;
    try {
      for await (const chunk of open()) {
        yield chunk;
        sent += chunk.length;
        progress.at(sent, length);
      }
    } finally {
      progress.end();
    }
  };
  return { ...request, body: { ...body, open: counted } };
}
