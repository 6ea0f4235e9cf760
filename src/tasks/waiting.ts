/** The commands that have `--wait`: each knows where to look, and what it means. */
import dependencyExports from '../api/dependency-exports.ts';
import license from '../api/license.ts';
import migrations from '../api/migrations.ts';
import type { Leaf } from '../cli/argv/command.ts';
import type { CommandLine } from '../cli/argv/parse.ts';
import { invoke, isDry, perform } from '../cli/call/call.ts';
import { attributeOf, type Whole } from '../cli/call/read-body.ts';
import {
  begin,
  fetchReply,
  fetchWhole,
  judgeEnd,
  type Look,
  printWhole,
  type Waiting,
  waitUntil,
  wantsWait,
} from '../cli/call/wait.ts';
import type { Context } from '../cli/context.ts';
import type { ExitCode } from '../cli/exit-codes.ts';
import type { Runner } from '../cli/overrides.ts';
import { type Prepared, prepare } from '../cli/request/validate.ts';
import type { Session } from '../cli/session/session.ts';
import { Failure } from '../errors.ts';
import { argumentsOf, commandName } from '../spec/arguments.ts';
import type { Area, Endpoint } from '../spec/endpoint.ts';

function named(area: Area, name: string): Endpoint {
  const fits = (one: Endpoint) =>
    commandName(one) === name && argumentsOf(one).every(({ required }) => required);
  return area.endpoints.findLast(fits) as Endpoint;
}

/** A runner that is the general path where `--wait` was not given. */
function waiter(run: (prepared: Prepared) => Promise<void>) {
  return async (leaf: Leaf, line: CommandLine, context: Context): Promise<ExitCode> => {
    if (!wantsWait(line)) return invoke(leaf, line, context);
    const prepared = await prepare(leaf, line, context);
    try {
      await run(prepared);
      return 0;
    } finally {
      await prepared.session.close();
    }
  };
}

/** Look until it has ended, print it, and judge how it ended. */
async function settle(
  session: Session,
  waiting: Waiting,
  endpoint: Endpoint,
  look: () => Promise<Whole>,
  start?: Whole,
): Promise<void> {
  const end = await waitUntil(session, waiting, look, start);
  await printWhole(session, endpoint, end.whole);
  judgeEnd(session, waiting, end);
}

// --- dependency exports

const exportGet = named(dependencyExports, 'get');
const exportDownload = named(dependencyExports, 'download');

/** @throws Failure `outcome`; `local` where the document can't be kept */
export const createExport: Runner = waiter(async (prepared) => {
  const { session } = prepared;
  const { prepareTarget } = await import('../cli/call/transfer.ts');
  const target = await prepareTarget(session, 'download');
  const made = await begin(prepared);
  if (!made) return;
  const id = attributeOf(made.value, 'id');
  const waiting: Waiting = {
    name: `export ${id}`,
    goOn: `svc dependency-exports get ${id}, then svc dependency-exports download ${id}`,
    judge: ({ has_finished: finished }): Look =>
      finished === true ? { status: 'ready', ended: true } : { status: 'being made', ended: false },
  };
  const end = await waitUntil(session, waiting, () => fetchWhole(session, exportGet, { id }), made);
  if (target && !end.late) {
    const { download } = await import('../http/body/download.ts');
    const reply = await fetchReply(session, exportDownload, { id });
    const saved = await download(reply, { ...target, url: reply.url });
    session.notes.say(`${saved.bytes} bytes written to ${saved.path}`);
  }
  await printWhole(session, exportGet, end.whole);
  judgeEnd(session, waiting, end);
});

// --- migrations

const migrationGet = named(migrations, 'get');

function migration(id: string): Waiting {
  return {
    name: `migration ${id}`,
    goOn: `svc migrations get ${id} --wait`,
    judge(value) {
      const status = attributeOf(value, 'status');
      if (status === 'created' || status === 'started') return { status, ended: false };
      const hint = `what failed: svc migrations entities ${id} --status failed`;
      if (status !== 'finished') return { status, ended: true, failed: [hint] };
      return {
        status,
        ended: true,
        ...(value['has_failures'] === true ? { note: `some of it could not be copied; ${hint}` } : {}),
      };
    },
  };
}

/** Make a migration that was prepared, and wait for its end where that is asked for. */
export async function makeMigration(prepared: Prepared): Promise<ExitCode> {
  const { session } = prepared;
  if (!wantsWait(session)) return perform(prepared);
  const made = await begin(prepared);
  if (!made) return 0;
  const id = attributeOf(made.value, 'id');
  await settle(session, migration(id), migrationGet, () => fetchWhole(session, migrationGet, { id }), made);
  return 0;
}

export const getMigration: Runner = waiter(async (prepared) => {
  const { session, slots } = prepared;
  const seen = await begin(prepared);
  if (!seen) return;
  const id = slots['id'] as string;
  await settle(session, migration(id), migrationGet, () => fetchWhole(session, migrationGet, slots), seen);
});

// --- licenses

const licenseGet = named(license, 'get');
/** Milliseconds: a count that has changed nothing by then is taken for done. */
const settling = 10_000;
const counts = ['active_users', 'historical_max', 'maximum_user_count', 'overage'] as const;

/** The service does not say when the count has ended: other numbers say so, or the same for a while. */
export const refreshLicense: Runner = waiter(async (prepared) => {
  const { session, slots } = prepared;
  const { now } = session.context;
  const look = () => fetchWhole(session, licenseGet, slots);
  const numbers = ({ value }: Whole) => JSON.stringify(counts.map((name) => value[name]));
  const before = isDry(session) ? undefined : await look();
  const started = await begin(prepared);
  if (!before || !started) return;
  if (started.value['success'] === false)
    throw new Failure('outcome', 'the service did not start the count', {
      hint: 'is this the license in force?',
    });
  const since = now();
  const waiting: Waiting = {
    name: `the count of license ${slots['id']}`,
    goOn: `svc license get ${slots['id']}`,
    judge: (value) => {
      const changed = numbers({ value, bytes: before.bytes }) !== numbers(before);
      return { status: 'under way', ended: changed || now() - since >= settling };
    },
  };
  await settle(session, waiting, licenseGet, look);
});
