/** `svc login`: verify a token and save it in a profile. */
import { pathsOf, variable } from '../../../config/paths.ts';
import { readProfiles } from '../../../config/profiles.ts';
import { scopePath } from '../../../config/scope.ts';
import { Failure, usage } from '../../../errors.ts';
import { encodeSlot } from '../../../spec/request.ts';
import type { Context } from '../../context.ts';
import type { ExitCode } from '../../exit-codes.ts';
import type { Session } from '../../session/model.ts';
import { withSession } from '../../session/session.ts';
import { noteFor } from '../../terminal/log.ts';
import {
  askUntil,
  findTarget,
  isPrompted,
  type LoginOptions,
  type LoginTarget,
  printLines,
  printTokenPage,
  readToken,
} from './target.ts';
import { findScopes, findTokenOwner, getObject } from './token-owner.ts';

/** @param typed the host or URL on the command line */
export async function login(
  typed: string | undefined,
  options: LoginOptions,
  context: Context,
): Promise<ExitCode> {
  const target = await findTarget(typed, options, context);
  const { root, from } = target;
  const logIn = (token: string) => logInWith(token, target, options, context);
  if (!isPrompted(context, options)) {
    await logIn(await readToken(context, options));
    return 0;
  }
  const { host } = new URL(root);
  printLines(context, `Logging in to ${host}${from === undefined ? '' : `, from ${from}`}`);
  if (from !== undefined) printLines(context, 'For another service: svc login <host>');
  if (options.auth !== 'job') await printTokenPage(context, root);
  const prompt = { advice: 'Try again, or press Ctrl-C to stop.', hidden: true };
  await askUntil(context, `Token for ${host} (hidden): `, prompt, (answer) =>
    logIn(answer).catch((error: unknown) => {
      const isRejected = error instanceof Failure && error.kind === 'auth';
      throw isRejected ? error.with({ message: `token rejected: ${error.message}` }) : error;
    }),
  );
  return 0;
}

/** Verify a token and save it. @throws Failure `auth` if the service rejects it, `usage` for a text that no service accepts */
async function logInWith(
  token: string,
  target: LoginTarget,
  options: LoginOptions,
  context: Context,
): Promise<void> {
  if (token === '') throw usage('the token is empty', 'profile not changed');
  if (/\s/.test(token)) throw usage('the token contains a space or a line break', 'profile not changed');
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
  const { profile: _, tokenFile: __, baseUrl: ___, project: typed, ...rest } = options;
  const use = async (session: Session) => {
    const verified = await verify(session, isJob, typed).catch((error: unknown) => {
      throw error instanceof Failure ? error.withHints(`profile ${profile} was not changed`) : error;
    });
    await save(session, target, { token, ...verified }, options, context);
  };
  await withSession(rest, { ...context, env }, use, {}, { newProfile: true });
}

/** Ask the service for the owner and the scopes of the token, and for the project. */
async function verify(session: Session, isJob: boolean, typed: string | undefined) {
  const owner = await findTokenOwner(session, isJob);
  const project = typed === undefined ? undefined : await findProject(session, typed);
  return { ...owner, project, scopes: isJob ? undefined : await findScopes(session) };
}

/** @param context with the variables of the user */
async function save(
  session: Session,
  { root, profile, isNamed, from }: LoginTarget,
  { token, name, note, project, scopes }: Awaited<ReturnType<typeof verify>> & { readonly token: string },
  options: LoginOptions,
  context: Context,
): Promise<void> {
  const { notes } = session;
  const paths = pathsOf(context.env);
  const { saveProfile } = await import('../../../config/store.ts');
  const before = readProfiles(paths).current;
  const change = {
    base_url: root.replace(/\/api\/v4$/, ''),
    token,
    // For the hints of later errors.
    user: note === undefined ? name : undefined,
    scopes: scopes?.join(','),
    auth: options.auth,
    ...(project === undefined ? {} : { project }),
  };
  const { current, profiles } = await saveProfile(paths, profile, change, { use: !isNamed });
  if (note) notes.say(note);
  notes.done(`Logged in to ${new URL(root).host} as ${name}, with profile ${profile}`);
  noteFor(context, options, `  Saved the token in ${paths.profiles}`);
  if (current !== profile)
    notes.say(`  The current profile is still ${current}. To use the new one: svc profiles use ${profile}`);
  else if (before !== undefined && before !== profile)
    notes.say(`  The current profile is now ${profile}. To go back: svc profiles use ${before}`);
  const saved = {
    SVC_BASE_URL: from !== 'SVC_BASE_URL',
    SVC_TOKEN: true,
    SVC_PROJECT: project !== undefined,
  };
  for (const [key, isSaved] of Object.entries(saved))
    if (isSaved && variable(context.env, key) !== undefined)
      notes.say(`  ${key} is set and takes precedence over the profile`);
  if (!isPrompted(context, options) || options.auth === 'job') return;
  const old = profiles[profile]?.project;
  const question = `Default project, as id or path (Enter for ${old ?? 'none'}): `;
  const prompt = { advice: 'Try again, or press Enter to skip.', attempts: Infinity, onEnd: '' };
  const own =
    project ??
    (await askUntil(context, question, prompt, async (answer) => {
      if (answer === '') return old;
      const found = await findProject(session, answer);
      await saveProfile(paths, profile, { project: found });
      notes.done(`Set project ${found} in profile ${profile}`);
      return found;
    }));
  const flag = current === profile ? '' : ` --profile ${profile}`;
  const steps = {
    [`svc jobs list${own === undefined ? ' --project <path>' : ''}${flag}`]: 'List the latest jobs',
    [`svc whoami${flag}`]: 'Check the login',
    'svc completion install': 'Complete commands with the Tab key',
  };
  noteFor(context, options, 'Next steps:');
  for (const [step, does] of Object.entries(steps))
    noteFor(context, options, `  ${step.padEnd(30)}  ${does}`);
}

/** Check that a project exists. @returns its id or path @throws Failure `not_found` */
async function findProject(session: Session, typed: string): Promise<string> {
  const project = scopePath('project', { value: typed, from: '--project' }, session.root());
  try {
    await getObject(session, `/projects/${encodeSlot('--project', project)}`);
    return project;
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'not_found') throw error;
    const hint = 'a project that the token cannot access is also reported as not found';
    throw error.with({ message: `project ${JSON.stringify(project)} not found`, details: [], hint });
  }
}
