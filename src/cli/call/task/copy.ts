/** A copy of a part of the service: a sandbox in this process, which a session calls without a port. */
import { Writable } from 'node:stream';
import { tokenOf } from '../../../config/credentials.ts';
import { Failure } from '../../../errors.ts';
import { networkFailure } from '../../../http/errors/network.ts';
import type { Transport } from '../../../http/transport.ts';
import type { Sandbox } from '../../../sandbox/index.ts';
import { collect } from '../../../support/bytes.ts';
import { isReadMethod } from '../../../support/http-method.ts';
import type { Copy, CopyContent, TaskContext } from '../../../tasks/context.ts';
import { replyOf, serviceOf } from '../../builtin/sandbox/seed-file.ts';
import type { Context } from '../../context.ts';
import type { Session } from '../../session/model.ts';
import { withSession } from '../../session/session.ts';

const initial = 'initial';
const from = '--rehearse';

/** @param contextOf the context of the task in the session of the copy */
export async function openCopy(
  session: Session,
  { rows, apply }: CopyContent,
  contextOf: (session: Session) => TaskContext,
): Promise<Copy> {
  const { openSandbox, cutOf } = await import('../../../sandbox/index.ts');
  const { context, options, settings } = session;
  const sandbox = await openSandbox(
    { memory: true },
    { copy: 'none', rows, prepare: (send) => apply(serviceOf(send)), now: context.now },
  );
  const { control, world } = sandbox;
  await control.snapshots.save(initial);
  const copySettings = {
    ...settings,
    readOnly: { value: false, source: 'flag', from },
    auditLog: undefined,
    httpProxy: undefined,
    httpsProxy: undefined,
    baseUrl: { value: world.origin, source: 'flag', from },
    accessToken: tokenOf('sandbox-admin', 'flag', from),
    jobToken: undefined,
  } as const;
  const copyOptions = { ...options, yes: true, quiet: true, har: undefined, trace: undefined } as const;
  return {
    restore: () => control.snapshots.load(initial),
    async run(act, { faults = [], stopAfter = Number.POSITIVE_INFINITY } = {}) {
      control.faults.add(faults);
      const writes: string[] = [];
      const successes: string[] = [];
      const stop = new AbortController();
      const onSend = (method: string) => {
        if (isReadMethod(method)) return;
        if (writes.length >= stopAfter) stop.abort(new Failure('interrupted', 'interrupted'));
        stop.signal.throwIfAborted();
        writes.push(method);
      };
      const onSuccess = (method: string) => {
        if (!isReadMethod(method)) successes.push(method);
      };
      const transport = transportTo(sandbox, cutOf, { onSend, onSuccess });
      const own: Context = {
        ...context,
        stdout: silent(),
        stderr: silent(),
        isCaptured: true,
        signal: AbortSignal.any([context.signal, stop.signal]),
        sleep: async () => {},
        transport: () => transport,
      };
      try {
        const more = { resolved: copySettings };
        const result = await withSession(copyOptions, own, (one) => act(contextOf(one)), {}, more);
        return { writes, successes, result };
      } catch (error) {
        if (!stop.signal.aborted || context.signal.aborted) throw error;
        return { writes, successes };
      } finally {
        control.faults.clear();
      }
    },
    async deliveries() {
      await sandbox.listenersEnd();
      const events = world.table('hook_events').all();
      return { webhooks: new Set(events.map((event) => event['hook_id'])).size, events: events.length };
    },
    close: () => sandbox.close(),
  };
}

const silent = () => new Writable({ write: (_chunk, _encoding, end) => end() });

/** @param watcher `onSend` is called before each request, which it may stop, `onSuccess` after each 2xx */
function transportTo(
  sandbox: Sandbox,
  cutOf: (response: Response) => string | undefined,
  watcher: Readonly<Record<'onSend' | 'onSuccess', (method: string) => void>>,
): Transport {
  return {
    async send({ method, url, headers, body }) {
      watcher.onSend(method);
      const sent =
        body === undefined ? new Uint8Array() : 'bytes' in body ? body.bytes : await collect(body.open());
      const request = new Request(url, { method, headers: headers.map(([name, value]) => [name, value]) });
      const response = await sandbox.handle(request, sent);
      if (cutOf(response)) {
        const closed = Object.assign(new Error('closed'), { code: 'TRANSPORT_CLOSED' });
        throw networkFailure(closed, { method, url, timeout: 0, hasResponse: false });
      }
      if (response.ok) watcher.onSuccess(method);
      return replyOf(response, url);
    },
    close: async () => {},
  };
}
