/** Open and close the session of a command. */
import { usage } from '../../errors.ts';
import type { Field, Fields } from '../../spec/field.ts';
import { addFields } from '../../spec/mask.ts';
import type { Options } from '../argv/flags.ts';
import { checkOutput } from '../call/output-options.ts';
import type { Context } from '../context.ts';
import { createCleaner } from '../terminal/clean.ts';
import { createNotes } from '../terminal/log.ts';
import { createProgress } from '../terminal/progress.ts';
import { createTerminal } from '../terminal/terminal.ts';
import { createConnection } from './connection.ts';
import type { Session, SessionOptions } from './model.ts';
import { loadSettings } from './settings.ts';

/** Run a function with the session of a command. @param fields the secrets among these parameters are masked */
export async function withSession<T>(
  options: Options,
  context: Context,
  use: (session: Session) => Promise<T>,
  fields: Fields = {},
  more: SessionOptions = {},
): Promise<T> {
  if (options.sandbox === true && !more.sandbox && !more.resolved) {
    rejectServer(options);
    const sandbox = await (await import('../builtin/sandbox/serving.ts')).openForCommand(context);
    try {
      return await withSession(options, context, use, fields, { ...more, sandbox });
    } finally {
      await sandbox.close();
    }
  }
  const session = await openSession(options, context, fields, more);
  let result: T;
  try {
    await checkOutput(session);
    result = await use(session);
  } catch (error) {
    await session.close().catch((second: Error) => session.notes.warn(second.message));
    throw error;
  }
  await session.close();
  return result;
}

async function openSession(
  options: Options,
  context: Context,
  fields: Fields,
  more: SessionOptions,
): Promise<Session> {
  const terminal = { ...createTerminal(options, context), ...createCleaner(context.env) };
  const secrets = [...terminal.tokens];
  const addToken = (token: string) => {
    secrets.push(token);
    terminal.addToken(token);
  };
  const known: Record<string, Field> = { ...fields };
  const notes = createNotes({ options, context, terminal, fields: known, secrets });
  const settings = more.resolved ?? loadSettings(options, context, more);
  const har =
    options.har === undefined
      ? undefined
      : (await import('./har.ts')).openHar(options.har, known, secrets, context);
  for (const warning of settings.warnings) notes.warn(warning);
  for (const source of [settings.accessToken, settings.jobToken]) {
    const token = source?.known?.();
    if (token) secrets.push(token);
  }
  // Until the session is closed, the indicator watches standard output.
  const progress = createProgress(terminal, context);
  const parts = { context, options, settings, notes, progress };
  const concealed = new Set<string>();
  const conceal: Session['conceal'] = (texts) => {
    for (const text of texts) if (concealed.size < concealed.add(text).size) secrets.push(text);
  };
  const connection = createConnection({ ...parts, ...more, fields: known, secrets, addToken, conceal, har });
  return {
    ...connection,
    ...parts,
    terminal,
    conceal,
    concealFields: (more) => addFields(known, more),
    async close() {
      progress.close();
      await connection.close();
      await har?.write();
    },
  };
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
