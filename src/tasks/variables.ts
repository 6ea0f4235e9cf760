/** `variables set`: creates, or updates where key and scope exist. */
import variables from '../api/variables.ts';
import { call, isDry, outgoingOf, printChanged, printDry, requireToken } from '../cli/call/call.ts';
import { withHints } from '../cli/call/hints.ts';
import { sayAccepted } from '../cli/call/print.ts';
import type { Runner } from '../cli/overrides.ts';
import { toRequest } from '../cli/request/build.ts';
import { prepare } from '../cli/request/validate.ts';
import { noteFor } from '../cli/terminal/log.ts';
import { Failure } from '../errors.ts';
import { commandName } from '../spec/arguments.ts';
import type { Endpoint } from '../spec/endpoint.ts';
import { omit } from '../spec/field.ts';
import { plan, type Values } from '../spec/request.ts';

const named = (name: string): Endpoint =>
  variables.endpoints.find((one) => commandName(one) === name) as Endpoint;
const create = named('create');
const update = named('update');

const setEndpoint: Endpoint = {
  ...create,
  command: 'set <key> [value]',
  summary: 'Create a variable, or update the one with this key and scope',
  doc: 'Updates first, with a PUT, and creates where nothing is there to update. The value may be an argument, @file, - for standard input, or is asked for on a terminal without being shown.',
  // An update leaves unchanged what is left out, so the defaults of a creation hold for the scope only.
  takes: { ...create.takes, ...omit(update.takes, 'filter', 'environment_scope') },
  examples: [
    { does: 'Create or update', run: 'variables set LOG_LEVEL debug --project acme/rocket' },
    {
      does: 'For one environment, from a file',
      run: 'variables set CERT_FILE @README.md --project acme/rocket --environment-scope production',
    },
  ],
};

/** The calls of the area with `set` after `get`: it is what most come for. */
export function weave(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.flatMap((one) => (commandName(one) === 'get' ? [one, setEndpoint] : [one]));
}

/** The same values as an update: the scope says which one, and what only a creation takes is left out. */
function asUpdate({
  key: _,
  environment_scope: scope = '*',
  masked_and_hidden: __,
  ...values
}: Values): Values {
  return { ...values, filter: { environment_scope: scope as string } };
}

const set: Runner = async (leaf, line, context) => {
  const { session, slots, values } = await prepare(leaf, line, context);
  try {
    const key = values['key'] as string;
    const calls = [
      // Only a creation can make a variable hidden: an update would leave it in the open without a word.
      ...(values['masked_and_hidden'] === true
        ? []
        : [{ endpoint: update, plan: plan(update, { ...slots, key }, asUpdate(values)) }]),
      { endpoint: create, plan: plan(create, slots, values) },
    ];
    const outgoing = await outgoingOf(session, create);
    if (isDry(session)) {
      for (const one of calls) printDry(session, one.endpoint, one.plan, outgoing);
      return 0;
    }
    await requireToken(session, create);
    const client = await session.client(create.access);
    for (const [at, one] of calls.entries()) {
      try {
        const reply = await call(client, await toRequest(one.plan, outgoing, context));
        sayAccepted(session, one.plan.method, reply);
        await printChanged({ session, endpoint: one.endpoint, slots: { ...slots, key }, values }, reply);
        if (reply.status !== 202)
          noteFor(context, line.options, `${key} ${one.endpoint === update ? 'updated' : 'created'}`);
        return 0;
      } catch (error) {
        const absent = error instanceof Failure && error.exchange?.status === 404 && isVariable(error);
        if (!absent || at === calls.length - 1) throw await withHints(error, one.endpoint, session);
      }
    }
    return 0;
  } finally {
    await session.close();
  }
};

/** A 404 of the variable, not of its project: creating there would only fail again, with a worse message. */
function isVariable(failure: Failure): boolean {
  return !/project/i.test(failure.message);
}

export const runners = { set };
