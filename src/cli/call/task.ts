/** The task context, over one session. */
import type { Command } from '../../spec/command.ts';
import { type Call, plan } from '../../spec/request.ts';
import { collect, once } from '../../support/bytes.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { pause } from '../../support/pause.ts';
import type { Result, TaskContext } from '../../tasks/context.ts';
import type { CommandLine } from '../argv/parse.ts';
import { createReader } from '../argv/values.ts';
import { requestBase, toRequest } from '../request/build.ts';
import { isDryRun, printDryRun } from '../request/dry-run.ts';
import { prepareCall } from '../request/validate.ts';
import type { Session } from '../session/model.ts';
import { noteFor } from '../terminal/log.ts';
import { ask, canPrompt } from '../terminal/prompt.ts';
import { perform, requireToken, sendRequest } from './call.ts';
import { addHints } from './hints.ts';
import { noteAccepted, openOutput } from './print.ts';
import { readObject } from './read-body.ts';
import { openSteps, openWaiting } from './steps.ts';
import { openTransfer, prepareTarget } from './transfer.ts';

export function taskContext(session: Session, command: Command, line: CommandLine): TaskContext {
  const { context, options, notes } = session;
  const reader = createReader(context);

  async function request(call: Call) {
    const { endpoint } = call;
    try {
      await requireToken(session, endpoint);
      const client = await session.client(endpoint.access);
      return await sendRequest(
        client,
        await toRequest(plan(call), await requestBase(session, endpoint), context),
      );
    } catch (error) {
      throw await addHints(error, endpoint, session);
    }
  }

  async function fetch(call: Call): Promise<Result> {
    const { method } = call.endpoint;
    const reply = await request(call);
    noteAccepted(session, method, reply);
    const accepted = reply.status === 202;
    // Services differ in whether a write returns a body.
    if (isReadMethod(method) || (!accepted && reply.status !== 204))
      return { ...(await readObject(reply, method)), accepted };
    const bytes = await collect(reply.body);
    return bytes.toString('utf8').trim() === ''
      ? { value: {}, bytes: new Uint8Array(), accepted }
      : { ...(await readObject({ ...reply, body: once(bytes) }, method)), accepted };
  }

  return {
    command,
    line,
    dryRun: isDryRun(session),
    now: context.now,
    env: (name) => context.env[name],
    prepare: ({ endpoints, line: changed } = {}) =>
      prepareCall(session, endpoints ? { ...command, endpoints } : command, { ...line, ...changed }, reader),
    run: (call) => perform(session, call),
    call: fetch,
    async show(call) {
      printDryRun(session, call.endpoint, plan(call), await requestBase(session, call.endpoint));
    },
    async print({ bytes }, endpoint) {
      if (bytes.length > 0) await (await openOutput(session, endpoint)).object(once(bytes));
    },
    note: (text) => notes.say(text),
    done: (text) => noteFor(context, options, text),
    waiting: (text) => openWaiting(session, text),
    progress: (label, total) => openSteps(session, label, total),
    pause: (milliseconds) => (context.sleep ?? pause)(milliseconds, context.signal),
    read: (path, what, limit) => reader.bytes(path, what, limit),
    async askSecret(question) {
      return canPrompt(context, options) ? ask(context, question, { hidden: true }) : undefined;
    },
    conceal: (secrets) => session.conceal(secrets),
    target: () => prepareTarget(session, 'download'),
    async save(call, target) {
      const { download } = await import('../../http/body/download.ts');
      const reply = await request(call);
      const progress = openTransfer(session, 'received');
      const saved = await download(reply, { ...target, url: reply.url, progress: progress.at }).finally(
        progress.end,
      );
      notes.say(`${saved.bytes} bytes written to ${saved.path}`);
    },
  };
}
