/** The task context, over one session. */
import { resolve } from 'node:path';
import { scopePath } from '../../../config/scope.ts';
import { Failure, usage } from '../../../errors.ts';
import { writeAll } from '../../../output/sink.ts';
import { painter as linePainter } from '../../../output/table/paint.ts';
import { Measure } from '../../../output/table/width.ts';
import { wrapItem } from '../../../output/table/wrap.ts';
import { type Command, scopesOf } from '../../../spec/command.ts';
import { confirmationOf } from '../../../spec/done.ts';
import { knownFields } from '../../../spec/mask.ts';
import { type Call, maskedTarget, plan } from '../../../spec/request.ts';
import { collect, decode, once } from '../../../support/bytes.ts';
import { isClosedPipe } from '../../../support/errno.ts';
import { isReadMethod } from '../../../support/http-method.ts';
import { commandLine } from '../../../support/shell.ts';
import { printableText } from '../../../support/text/printable.ts';
import { pause } from '../../../support/waiting/pause.ts';
import type { Progress, TaskContext } from '../../../tasks/context.ts';
import type { PlanPart } from '../../../tasks/engine/plan-text.ts';
import { serverFlags, wordsOf } from '../../argv/flags.ts';
import type { CommandLine } from '../../argv/parse.ts';
import type { Reader } from '../../argv/values.ts';
import { isDryRun } from '../../request/build.ts';
import { chosenScope, prepareCall } from '../../request/prepare.ts';
import { checkFile, fetchCall, firstPageOf, listRows, readObject } from '../../request/response.ts';
import { checkReadOnly } from '../../session/connection.ts';
import type { Session } from '../../session/model.ts';
import { lasting, shareOf, timeLeft } from '../../terminal/progress.ts';
import { ask, askYesNo, canPrompt, needsConfirmation } from '../../terminal/prompt.ts';
import { requireToken, sendCall } from '../call.ts';
import { addHints } from '../hints.ts';
import { prepareTarget, saveTo } from '../transfer.ts';

export function taskContext(
  session: Session,
  command: Command,
  line: CommandLine,
  reader: Reader,
): TaskContext {
  const { context, options, notes, settings } = session;

  /** Check the token for a call, and mask the secrets of the call in traces and logs. @throws Failure `auth` without a token */
  async function begin({ endpoint }: Call): Promise<void> {
    session.concealFields(knownFields([endpoint]));
    await requireToken(session, endpoint);
  }

  async function request(call: Call) {
    checkReadOnly(session, call.endpoint.method);
    try {
      await begin(call);
      return await fetchCall(session, call);
    } catch (error) {
      throw await addHints(error, call, session);
    }
  }

  async function* readFrom<T>(call: Call, read: () => AsyncIterable<T> | Promise<AsyncIterable<T>>) {
    try {
      await begin(call);
      yield* await read();
    } catch (error) {
      throw await addHints(error, call, session);
    }
  }

  const scopeId: TaskContext['scopeId'] = (scope, value, from) => {
    const path = scopePath(scope, { value, from }, settings.baseUrl?.value);
    if (path === '' || path === '.') throw usage(`${from} cannot be ${path === '' ? 'empty' : '"."'}`);
    return path;
  };

  return {
    command,
    line,
    dryRun: isDryRun(session),
    isOneOfSeveral: session.isOneOfSeveral === true,
    now: context.now,
    env: (name) => (Object.hasOwn(context.env, name) ? context.env[name] : undefined),
    prepare: ({ endpoints, line: changed } = {}) =>
      prepareCall(
        session,
        endpoints ? { ...command, endpoints } : command,
        // The values of a program belong to its own line, not to one that a task builds.
        changed ? ({ ...line, ...changed, typed: undefined } as CommandLine) : line,
        reader,
      ),
    run: (call) => sendCall(session, call, command.area),
    async call(call) {
      const reply = await request(call);
      return { ...(await readObject(reply, call.endpoint.method)), accepted: reply.status === 202 };
    },
    async openCopy(content) {
      const { openCopy } = await import('./copy.ts');
      const confirmed = { ...line, options: { ...line.options, yes: true } } as const;
      return openCopy(session, content, (own) => taskContext(own, command, confirmed, reader));
    },
    async *rows(call, { numbers, ...how } = {}) {
      const parse = numbers && (await import('../../../support/text/exact-json.ts')).parseExactly;
      yield* readFrom(call, () => listRows(session, call, { parse, ...how }));
    },
    async text(call) {
      const reply = await request(call);
      await checkFile(reply, call.endpoint);
      const text = decode(await collect(reply.body));
      if (text === undefined) throw new Failure('server_error', 'the response is not UTF-8 text');
      return text;
    },
    appended(call) {
      let read: (() => AsyncGenerator<Uint8Array>) | undefined;
      return () =>
        readFrom(call, async () => {
          read ??= (await import('./appended.ts')).appendedBytes(session, call);
          return read();
        });
    },
    // The port of the sandbox changes.
    server: () => (settings.baseUrl?.from === '--sandbox' ? 'sandbox' : session.root()),
    requireWrite: (method = 'POST') => checkReadOnly(session, method),
    canPrompt: canPrompt(context, options),
    async openView(...handlers) {
      const { canRedraw, openView } = await import('../../terminal/view.ts');
      if (context.isCaptured || !canRedraw(context)) return undefined;
      return openView(context, session.terminal, ...handlers);
    },
    browse: async (url) => (await import('../web.ts')).openUrl(session, url),
    post: async (outgoing) => (await import('./machine.ts')).postOutside(session, outgoing),
    openState: async (name) => (await import('./machine.ts')).openState(context, name),
    signal: context.signal,
    url: (call) => `${session.root()}${maskedTarget(call)}`,
    scopeId,
    target(flagsOnly = false) {
      const scopes = scopesOf(command).map(({ name }) => name);
      const found = chosenScope(scopes, line, settings, flagsOnly);
      if (found?.note !== undefined) notes.sayOnce(found.note);
      return found;
    },
    format: line.options.output ?? (settings.output.source === 'default' ? undefined : settings.output.value),
    write: (text) =>
      writeAll(once(Buffer.from(context.stdout.isTTY ? printableText(text) : text)), context.stdout),
    withoutTokens: session.terminal.withoutTokens,
    paint: painter(session),
    async showPlan(parts) {
      if (session.plans) session.plans.push(...parts);
      else await paintPlans(session, parts);
    },
    unicode: session.terminal.screen?.unicode ?? true,
    async confirm(question) {
      // The question is about writes.
      checkReadOnly(session, 'write');
      if (options.yes === true) return;
      if (!canPrompt(context, options)) throw needsConfirmation('nothing was changed');
      if (!(await askYesNo(context, question))) throw usage('canceled; nothing was changed');
    },
    path: (typed) => resolve(context.cwd, typed),
    async folder(typed) {
      const path = resolve(context.cwd, typed);
      const { readdir, stat } = await import('node:fs/promises');
      // Reading it as a file reports that there is none.
      const found = await stat(path).catch(() => undefined);
      if (!found?.isDirectory()) return undefined;
      const entries = await readdir(path, { withFileTypes: true });
      return entries.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name]));
    },
    stateFile: async (name) => (await import('../../../config/paths.ts')).stateFile(context.env, name),
    async spawn(program, args, env) {
      const { runChild } = await import('../../terminal/child.ts');
      return runChild(program, args, { ...context.env, ...env }, context);
    },
    openEditor: async (...given) => (await import('../../terminal/child.ts')).runEditor(...given, context),
    async requests(calls) {
      const requests = calls.map(async (planned) => {
        const isList = planned.endpoint.returns.kind === 'list';
        const call = isList ? await firstPageOf(session, planned) : planned;
        const shown = options.showSecrets === true ? {} : { target: maskedTarget(call) };
        return { endpoint: call.endpoint, plan: { ...plan(call), ...shown, secrets: call.secrets } };
      });
      return { kind: 'requests', requests: await Promise.all(requests) };
    },
    confirmed(call, { value, accepted }) {
      const sentence = confirmationOf(call, value, accepted, notes.redact);
      if (sentence !== undefined) notes.confirmed(sentence);
    },
    response({ bytes }, endpoint, frame = {}) {
      const write = command.endpoints.find(({ method }) => !isReadMethod(method));
      return write
        ? { kind: 'written', endpoint, write, body: bytes, ...frame }
        : { kind: 'object', endpoint, body: once(bytes), ...frame };
    },
    resumeCommand(words) {
      const { project, group } = line;
      const given = [
        ...(project === undefined ? [] : ['--project', scopeId('project', project, '--project')]),
        ...(group === undefined ? [] : ['--group', scopeId('group', group, '--group')]),
      ];
      return commandLine(['svc', ...words, ...given, ...wordsOf(options, serverFlags)]);
    },
    note: (text) => notes.say(text),
    warn: (text) => notes.warn(text),
    waiting: (text) => openWaiting(session, text),
    progress: (label, total) => openSteps(session, label, total),
    pause: (milliseconds) => (context.sleep ?? pause)(milliseconds, context.signal),
    read: (path, what, limit) => reader.bytes(path, what, limit),
    async askSecret(question) {
      return canPrompt(context, options) ? ask(context, question, { hidden: true }) : undefined;
    },
    conceal: (secrets) => session.conceal(secrets),
    async download() {
      const file = await prepareTarget(session, 'download');
      return file && (async (call) => saveTo(session, await request(call), file));
    },
  };
}

/** Return a function that prints lines on standard output, in the order of its calls, and returns whether they have a reader. */
export function painter({ context, terminal }: Session): TaskContext['paint'] {
  const { color, clean, screen } = terminal;
  const measure = new Measure();
  let printed = Promise.resolve(true);
  const print: TaskContext['paint'] = async (lines) => {
    // A reader that closes the pipe (`| head`) does not end the process in the middle of a change.
    if (!context.isCaptured) context.onReaderGone?.(() => {});
    const { line } = await linePainter(color);
    if (screen) await measure.prepare(lines.map(([, text]) => text));
    const fitting = (text: string) => (screen ? wrapItem(text, screen.width, measure) : [text]);
    const painted = lines.flatMap(([tone, text]) => fitting(clean(text)).map((part) => line(tone, part)));
    try {
      await writeAll(once(Buffer.from(`${painted.join('\n')}\n`)), context.stdout);
      return true;
    } catch (error) {
      if (!isClosedPipe(error)) throw error;
      return false;
    }
  };
  return (lines) => {
    // The first line that is not ASCII takes longer, because it loads the widths of characters.
    printed = printed.then(() => print(lines));
    return printed;
  };
}

export async function paintPlans(session: Session, parts: readonly PlanPart[]): Promise<void> {
  const { planText } = await import('../../../tasks/engine/plan-text.ts');
  await painter(session)(planText(parts, 'changedOnly' in session.options));
}

/** Show the number of steps: `importing variables: 3 of 12, LOG_LEVEL, 8s left`. */
export function openSteps(
  { context, progress }: Session,
  label: string,
  total: number | undefined,
): Progress {
  const begun = context.now();
  let step = 0;
  let current = '';
  const end = progress.open(() => {
    const count = step === 0 ? '' : `: ${step}${total === undefined ? '' : ` of ${total}`}`;
    const amount = { done: Math.max(0, step - 1), total, elapsed: context.now() - begun };
    const text = `${label}${count}${current === '' ? '' : `, ${current}`}${timeLeft(amount)}`;
    return { text, share: shareOf(amount) };
  });
  return {
    step(subject = '') {
      step++;
      current = subject;
    },
    end,
  };
}

/** Show a state and how long the wait has lasted, or print a line for each state if standard error is not a terminal. */
function openWaiting({ context, notes, progress, terminal }: Session, first: string): Progress {
  const begun = context.now();
  let state: string | undefined;
  const end = progress.open(() => `${state}, ${lasting(context.now() - begun)}`);
  const step = (next = '') => {
    if (terminal.progress === 'none' && next !== state) notes.say(next);
    state = next;
  };
  step(first);
  return { step, end };
}
