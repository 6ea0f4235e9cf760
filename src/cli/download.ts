import { basename, resolve } from 'node:path';
import type { Destination } from '../http/transfer.ts';
import type { Reply, Request } from '../http/transport.ts';
import type { Session } from './session.ts';

/** Look at `--output-file` before anything is sent. @throws Failure `local` where nothing can be written there */
export async function prepareTarget(session: Session): Promise<Destination | undefined> {
  const target = session.globals['output-file'];
  if (typeof target !== 'string' || target === '-') return undefined;
  const { prepareDownload } = await import('../http/transfer.ts');
  // resolve() drops the slash at the end, which says that a folder is meant.
  const path = `${resolve(session.context.cwd, target)}${/[/\\]$/.test(target) ? '/' : ''}`;
  return prepareDownload(path, { force: session.globals['force'] === true });
}

/** Print bytes as they are, or keep them in a file. */
export async function printRaw(
  session: Session,
  request: Request,
  reply: Reply,
  destination: Destination | undefined,
): Promise<void> {
  if (!destination) {
    const { createOutput } = await import('../output/index.ts');
    const output = createOutput(
      {
        format: 'raw',
        columns: [],
        header: false,
        csvSafe: false,
        color: false,
        time: 'iso',
        now: session.context.now,
      },
      session.context.stdout,
    );
    return output.raw(reply.body);
  }
  const { download } = await import('../http/transfer.ts');
  const name = basename(decodeURIComponent(new URL(request.url).pathname.replace(/\/(raw|download)$/, '')));
  const saved = await download(reply, destination, { name });
  session.notes.say(`${saved.bytes} bytes written to ${saved.path}`);
}
