/** `svc login`: verify a token and save it in a profile. */
import { pathsOf, variable } from '../../../config/paths.ts';
import { scopePath } from '../../../config/scope.ts';
import { Failure, isFromSignal, usage } from '../../../errors.ts';
import type { FlagSpecs } from '../../../spec/flag.ts';
import { encode } from '../../../spec/request.ts';
import { sharedFlags } from '../../argv/flags.ts';
import { sendRequest } from '../../call/call.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import type { Session } from '../../session/model.ts';
import { withSession } from '../../session/session.ts';
import { noteFor } from '../../terminal/log.ts';
import { ask } from '../../terminal/prompt.ts';
import { type Builtin, type BuiltinCommand, command, connection } from '../define.ts';
import { isPrompted, type LoginOptions, problemWith, readToken, tokenAdvice } from './read-token.ts';
import { findTarget, type LoginTarget, maxAttempts } from './target.ts';
import { tell, tellProblem } from './tell.ts';
import { findScopes, findTokenOwner, type TokenOwner } from './token-owner.ts';

async function login(typed: string | undefined, options: LoginOptions, context: Context): Promise<ExitCode> {
  const target = await findTarget(typed, options, context);
  const { host } = new URL(target.root);
  const prompted = isPrompted(context, options);
  if (prompted) {
    const from = target.from === undefined ? '' : `, from ${target.from}`;
    tell(context, `Logging in to ${host}${from}`);
    if (target.from !== undefined) tell(context, 'For another service: svc login <host>');
    if (options.auth !== 'job') tell(context, ...(await tokenAdvice(context, target.root)));
  }
  for (let attempt = 1; ; attempt += 1) {
    const token = await readToken(context, options, target.root);
    const isLast = !prompted || attempt === maxAttempts;
    const problem = problemWith(token);
    if (problem !== undefined && isLast) throw usage(`${problem}; profile not changed`);
    const cause = problem ?? (await logInWith(token, target, options, context, isLast));
    if (cause === undefined) return 0;
    tellProblem(context, cause, 'Try again, or press Ctrl-C to stop.');
  }
}

/**
 * Verify a token and save it.
 * @returns why the service rejects the token, or undefined after success
 * @throws Failure for any other problem, and on the last attempt
 */
async function logInWith(
  token: string,
  target: LoginTarget,
  options: LoginOptions,
  context: Context,
  isLast: boolean,
): Promise<string | undefined> {
  const { root, profile } = target;
  const isJob = options.auth === 'job';
  // The session uses the token as any command would: from the environment, for this server only.
  const env = {
    ...context.env,
    SVC_BASE_URL: root,
    SVC_PROFILE: profile,
    SVC_AUTH: undefined,
    ...(isJob ? { SVC_JOB_TOKEN: token, SVC_TOKEN: undefined } : { SVC_TOKEN: token }),
  };
  const { profile: _, tokenFile: __, baseUrl: ___, project: ____, ...rest } = options;
  const verify = async (session: Session) => {
    const owner = await findTokenOwner(session, isJob);
    const project = options.project === undefined ? undefined : await findProject(session, options.project);
    const scopes = isJob ? undefined : await findScopes(session);
    return { owner, project, scopes };
  };
  return withSession(
    rest,
    { ...context, env },
    async (session) => {
      let verified: Awaited<ReturnType<typeof verify>>;
      try {
        verified = await verify(session);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (!isLast && error.kind === 'auth') return `token rejected: ${error.message}`;
        throw error.withHints(`profile ${profile} was not changed`);
      }
      await save(session, target, { token, ...verified }, { ...context, options });
      return undefined;
    },
    {},
    { newProfile: true },
  );
}

interface Verified {
  readonly token: string;
  readonly owner: TokenOwner;
  readonly project: string | undefined;
  readonly scopes: readonly string[] | undefined;
}

async function save(
  session: Session,
  { root, profile, isNamed, from }: LoginTarget,
  { token, owner, project, scopes }: Verified,
  { options, ...context }: Context & { readonly options: LoginOptions },
): Promise<void> {
  const paths = pathsOf(context.env);
  const { readProfiles } = await import('../../../config/profiles.ts');
  const { saveProfile } = await import('../../../config/store.ts');
  const before = readProfiles(paths).current;
  const change = {
    base_url: root.replace(/\/api\/v4$/, ''),
    token,
    // For the hints of later errors.
    user: owner.note === undefined ? owner.name : undefined,
    scopes: scopes?.join(','),
    auth: options.auth,
    ...(project === undefined ? {} : { project }),
  };
  const { current, profiles } = await saveProfile(paths, profile, change, { use: !isNamed });
  if (owner.note) session.notes.say(owner.note);
  session.notes.done(`Logged in to ${new URL(root).host} as ${owner.name}, with profile ${profile}`);
  noteFor(context, options, `  Saved the token in ${paths.profiles}`);
  const say = (text: string) => session.notes.say(`  ${text}`);
  if (current !== profile)
    say(`The current profile is still ${current}. To use the new one: svc profiles use ${profile}`);
  else if (before !== undefined && before !== profile)
    say(`The current profile is now ${profile}. To go back: svc profiles use ${before}`);
  const stored = [...(from === 'SVC_BASE_URL' ? [] : ['SVC_BASE_URL']), 'SVC_TOKEN'];
  for (const name of project === undefined ? stored : [...stored, 'SVC_PROJECT'])
    if (variable(context.env, name) !== undefined)
      say(`${name} is set and takes precedence over the profile`);
  if (!isPrompted(context, options) || options.auth === 'job') return;
  const own = project ?? (await askProject(session, context, profile, profiles[profile]?.project));
  const flag = current === profile ? '' : ` --profile ${profile}`;
  const where = own === undefined ? ' --project <path>' : '';
  const steps = [
    [`svc jobs list${where}${flag}`, 'List the latest jobs'],
    [`svc whoami${flag}`, 'Check the login'],
    ['svc completion install', 'Complete commands with the Tab key'],
  ] as const;
  const width = Math.max(...steps.map(([step]) => step.length));
  noteFor(context, options, 'Next steps:');
  for (const [step, does] of steps) noteFor(context, options, `  ${step.padEnd(width)}  ${does}`);
}

/** Ask for a default project, and save it if it exists. @returns the default project of the profile */
async function askProject(
  session: Session,
  context: Context,
  profile: string,
  old: string | number | undefined,
): Promise<string | undefined> {
  const kept = old === undefined ? 'Enter for none' : `Enter for ${old}`;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const question = `Default project, as id or path (${kept}): `;
    const answer = (await ask(context, question, { onEnd: '' })).trim();
    if (answer === '') return old === undefined ? undefined : String(old);
    try {
      const project = await findProject(session, answer);
      const { saveProfile } = await import('../../../config/store.ts');
      await saveProfile(pathsOf(context.env), profile, { project });
      session.notes.done(`Set project ${project} in profile ${profile}`);
      return project;
    } catch (error) {
      if (!(error instanceof Failure) || isFromSignal(error)) throw error;
      tellProblem(context, error.message, 'Try again, or press Enter to skip.');
    }
  }
  return old === undefined ? undefined : String(old);
}

/** Check that a project exists. @returns its id or path @throws Failure `not_found` */
async function findProject(session: Session, typed: string): Promise<string> {
  const given = { value: typed, from: '--project' };
  const project = scopePath('project', given, session.root());
  if (project === '' || project === '.' || project === '..') throw usage('--project is not a project');
  const client = await session.client({});
  const request = { method: 'GET', url: `${session.root()}/projects/${encode(project)}`, headers: [] };
  try {
    await (await sendRequest(client, request)).discard();
    return project;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'not_found') throw error;
    throw new Failure('not_found', `project ${JSON.stringify(project)} not found`, {
      hint: 'a project that the token cannot access is also reported as not found',
      exchange: error.exchange,
    });
  }
}

const flags = {
  'token-stdin': { doc: 'Read the token from standard input' },
  project: {
    short: 'p',
    kind: 'text',
    placeholder: 'id|path',
    suggest: 'project',
    doc: 'Default project to save in the profile',
  },
  ...connection,
  'token-file': {
    ...connection['token-file'],
    doc: 'File that contains the access token, or - for standard input',
  },
  ...sharedFlags('no-input', 'quiet'),
} as const satisfies FlagSpecs;

/** Declare the command as `svc login` and `svc login`. */
export function loginCommand(path: 'login' | 'auth login'): BuiltinCommand {
  return command({
    name: 'login',
    args: '[host]',
    summary: 'Verify a token and save it in a profile',
    doc: 'Prompts for the token with hidden input, or reads it from standard input or a file. The service verifies the token before it is saved. The token is only ever sent to the origin of the base URL. Without --profile, the profile for this service becomes the current one. With --profile, the current profile does not change. Use --auth job for a job token.',
    flags,
    examples: [
      { does: 'Log in on a terminal', run: `${path} host.example` },
      {
        does: 'Log in from a script',
        run: `${path} host.example --profile bot --token-file token.txt`,
      },
    ],
    run: ({ words, options }, context) => login(words[0], options, context),
  });
}

export default { commands: [loginCommand('login')] } satisfies Builtin;
