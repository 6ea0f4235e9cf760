/** Open and close the session of a command. */
import { type Credential, credentialFor } from '../../config/credentials.ts';
import { chooseProfile } from '../../config/profiles.ts';
import type { Overrides } from '../../config/settings.ts';
import { type Failure, forPerson, usage } from '../../errors.ts';
import { type Client, createClient } from '../../http/client.ts';
import type { Limiter } from '../../http/policy/limiter.ts';
import type { Transport } from '../../http/transport.ts';
import type { Access } from '../../spec/endpoint.ts';
import { type Field, type Fields, isSecret } from '../../spec/field.ts';
import { maskedUrl } from '../../spec/mask.ts';
import { apiRoot } from '../../spec/request.ts';
import { originIn } from '../../support/url.ts';
import type { Options } from '../argv/flags.ts';
import { checkOutput } from '../call/output-options.ts';
import type { Context, Env } from '../context.ts';
import { noProgress, withProgress } from '../terminal/activity.ts';
import { createNotes } from '../terminal/log.ts';
import { createTerminal, doneMark } from '../terminal/terminal.ts';
import { createVisible } from '../terminal/visible.ts';
import { version } from '../version.ts';
import type { Har } from './har.ts';
import type { Session } from './model.ts';
import { loadSettings, type Settings } from './settings.ts';
import { openTransport } from './transport.ts';

export interface SessionOptions {
  /** Accept the name of a profile that does not exist yet. */
  readonly newProfile?: boolean;
  /** The name of the command, for the audit log. */
  readonly command?: string;
  /** The session sends requests of several commands at a time, within one rate limit. */
  readonly concurrent?: boolean;
  /** The rate limit that several sessions share. */
  readonly limiter?: Limiter;
  /** The sandbox, if it is open already. */
  readonly sandbox?: Overrides;
  /** The settings at the start of a command that keeps running. */
  readonly startedWith?: Settings;
}

/** Open the session of a command and check its output options. */
async function openSession(
  options: Options,
  context: Context,
  fields: Fields,
  more: SessionOptions,
): Promise<Session> {
  const closers: (() => Promise<void>)[] = [];
  const terminal = { ...createTerminal(options, context), ...createVisible(context.env) };
  const secrets: string[] = [...terminal.tokens];
  const concealed = new Set<string>();
  const known: Record<string, Field> = { ...fields };
  const notes = createNotes({
    stderr: context.stderr,
    style: terminal.messages,
    quiet: options.quiet === true,
    verbose: options.verbose === true,
    trace: options.trace === true,
    fields: known,
    secrets,
    clean: terminal.clean,
    mark: doneMark(context),
  });
  if (options.sandbox === true) rejectServer(options);
  const sandbox =
    options.sandbox === true && !more.sandbox
      ? await (await import('../builtin/sandbox/serving.ts')).openForCommand(context)
      : undefined;
  if (sandbox) closers.push(sandbox.close);
  let settings: Settings;
  let har: Har | undefined;
  try {
    settings = loadSettings(options, context, more.sandbox ?? sandbox, more);
    if (options.har !== undefined)
      har = (await import('./har.ts')).openHar({ path: options.har, fields: known, secrets }, context);
  } catch (error) {
    await sandbox?.close();
    throw error;
  }
  // Only now: until the session is closed, it watches what is written to standard output.
  const progress =
    terminal.progress === 'none'
      ? noProgress
      : (await import('../terminal/progress.ts')).createProgress(terminal, context);
  for (const warning of settings.warnings) notes.warn(warning);
  for (const source of [settings.accessToken, settings.jobToken]) {
    const token = source?.known?.();
    if (token) secrets.push(token);
  }

  let root: string | undefined;
  const apiRootOnce = () => {
    root ??= settings.baseUrl ? apiRoot(settings.baseUrl.value, settings.baseUrl.from) : undefined;
    if (root === undefined) throw noBaseUrl(settings);
    return root;
  };
  const credentials = new Map<boolean, Promise<Credential | undefined>>();
  const credential = (access: Access) => {
    const job = access.jobToken === 'only';
    let found = credentials.get(job);
    if (!found) {
      found = findCredential(settings, apiRootOnce(), job).then((one) => {
        if (one) secrets.push(one.token);
        if (one) terminal.addToken(one.token);
        for (const warning of one?.warnings ?? []) notes.warn(warning);
        return one;
      });
      credentials.set(job, found);
    }
    return found;
  };
  const open: Session['open'] = async (to, { settings: own = settings, signal, shownUrl } = {}) => {
    const shown = shownUrl ?? ((url: string) => maskedUrl(url, known));
    const { auditLog: log } = settings;
    const auditedTransport = log && (await import('./audit.ts')).auditedTransport;
    const record = (plain: Transport) => {
      const recorded = har ? har.record(plain, shown) : plain;
      if (!auditedTransport) return recorded;
      const { command = '' } = more;
      const audit = {
        log,
        root: to === root ? root : undefined,
        command,
        shownUrl: shown,
        secrets,
        warn: notes.warn,
      };
      return auditedTransport(recorded, audit, context);
    };
    return openTransport(to, own, signal ? { ...context, signal } : context, record);
  };
  const connect = async (access: Access): Promise<Client> => {
    const own = await credential(access);
    const transport = await open(apiRootOnce());
    const insecureFrom = settings.insecure.value
      ? settings.insecure.from
      : insecureFromNode(context.env, [apiRootOnce(), settings.httpProxy?.value, settings.httpsProxy?.value]);
    if (insecureFrom !== undefined)
      notes.warn(`certificate verification of ${new URL(apiRootOnce()).host} is disabled (${insecureFrom})`);
    const sleep = async (ms: number) =>
      (context.sleep ?? (await import('../../support/waiting/pause.ts')).pause)(ms, context.signal);
    const notify = withProgress(notes.event, progress, context.now);
    const limiter =
      more.concurrent && !more.limiter
        ? (await import('../../http/policy/limiter.ts')).createLimiter({
            maxWait: settings.maxWait.value,
            now: context.now,
            sleep,
            onPause: (ms) => notify({ kind: 'pause', ms }),
          })
        : more.limiter;
    return createClient(transport, {
      root: apiRootOnce(),
      ...(own ? { credential: own.header } : {}),
      secrets,
      userAgent: `svc/${version}`,
      retries: settings.retries.value,
      maxWait: settings.maxWait.value,
      retryUnsafe: options.retryUnsafe === true,
      ...(limiter ? { limiter } : {}),
      notify,
      ...(options.trace === true ? { bodies: true as const } : {}),
      signal: context.signal,
      now: context.now,
      sleep,
      random: context.random,
    });
  };
  let client: Promise<Client> | undefined;
  const session: Session = {
    context,
    options,
    settings,
    terminal,
    notes,
    progress,
    root: apiRootOnce,
    credential,
    open,
    client: (access) => (client ??= connect(access)),
    conceal(texts) {
      for (const text of texts) if (!concealed.has(text)) secrets.push(text);
      for (const text of texts) concealed.add(text);
    },
    concealFields(more) {
      for (const [name, field] of Object.entries(more)) if (!isSecret(known[name])) known[name] = field;
    },
    async close() {
      progress.close();
      if (client) await client.then((open) => open.close()).catch(() => {});
      for (const closer of closers) await closer();
      await har?.write();
    },
  };
  try {
    await checkOutput(session);
  } catch (error) {
    await session.close();
    throw error;
  }
  return session;
}

/**
 * Run a function with the session of a command, and close the session.
 * @param options the flags of `svc` on the command line
 * @param fields the parameters of the endpoint: their secrets are masked in everything that is printed
 */
export async function withSession<T>(
  options: Options,
  context: Context,
  use: (session: Session) => Promise<T>,
  fields: Fields = {},
  more: SessionOptions = {},
): Promise<T> {
  const session = await openSession(options, context, fields, more);
  let result: T;
  try {
    result = await use(session);
  } catch (error) {
    await session.close().catch((second: Error) => session.notes.warn(second.message));
    throw error;
  }
  await session.close();
  return result;
}

async function findCredential(settings: Settings, root: string, job: boolean) {
  return credentialFor(settings, { origin: originIn(root), only: job ? 'job' : undefined });
}

/** With this variable Node verifies no certificates. `svc` suppresses the warning of Node and prints its own. */
function insecureFromNode(env: Env, urls: readonly (string | undefined)[]): string | undefined {
  const secure = urls.some((url) => url?.startsWith('https:'));
  return secure && env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0' ? 'NODE_TLS_REJECT_UNAUTHORIZED=0' : undefined;
}

function noBaseUrl({ unused }: Settings): Failure {
  const hints = forPerson(
    ...chooseProfile(unused),
    'use svc login, SVC_BASE_URL=https://host.example or --base-url https://host.example',
    'to try svc without a server: svc --sandbox <area> <command>',
  );
  return usage('no base URL is set', hints);
}

/** The sandbox has its own URL and settings. @throws Failure `usage` for a flag that selects another server */
function rejectServer({ baseUrl, profile }: Options): void {
  const flag = baseUrl !== undefined ? '--base-url' : profile !== undefined ? '--profile' : undefined;
  if (flag !== undefined)
    throw usage(
      `--sandbox and ${flag} cannot be used together`,
      'use one of them: --sandbox starts a separate server',
    );
}
