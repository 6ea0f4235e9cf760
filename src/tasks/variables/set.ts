/** `variables set`: update the variable with this key and scope, or create it. */
import { createVariable, getVariable, updateVariable } from '../../api/variables.ts';
import { Failure } from '../../errors.ts';
import { commandName } from '../../spec/command.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { omit } from '../../spec/field.ts';
import type { Call, Values } from '../../spec/request.ts';
import { sayNote } from '../../spec/result.ts';
import type { Caller, Task } from '../context.ts';

const setVariable: Endpoint = {
  ...createVariable,
  command: 'set <key> [value]',
  repeatable: true,
  summary: 'Create a variable, or update the one with this key and scope',
  doc: 'Sends an update (PUT) first, and creates the variable (POST) if there is none to update. With --masked-and-hidden, reads the variable first: only a new variable can be hidden, and the value of a hidden one can be changed.',
  usage: 'The value is an argument, @file, - for standard input, or a hidden prompt on a terminal.',
  // An update keeps omitted attributes, so the defaults of a creation apply to the scope only.
  takes: { ...createVariable.takes, ...omit(updateVariable.takes, 'filter', 'environment_scope') },
  examples: [
    { does: 'Create or update', run: 'variables set LOG_LEVEL debug --project acme/rocket' },
    {
      does: 'For one environment, from a file',
      run: 'variables set CERT_FILE @README.md --project acme/rocket --environment-scope production',
    },
  ],
};

/** `set` follows `get`, as the command that most people look for. */
export function present(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.flatMap((one) => (commandName(one) === 'get' ? [one, setVariable] : [one]));
}

/** The values of an update: the scope selects the variable, and parameters of a creation only are omitted. */
function updateValues({
  key: _,
  environment_scope: scope = '*',
  masked_and_hidden: __,
  ...values
}: Values): Values {
  return { ...values, filter: { environment_scope: scope } };
}

const isAbsent = (error: unknown): boolean => error instanceof Failure && error.exchange?.status === 404;

/**
 * Whether the variable exists and is hidden.
 * @throws Failure `rejected` if it exists and is readable, because only a creation can hide a variable
 */
async function isHidden(task: Caller, get: Call): Promise<boolean> {
  const found = await task.call(get).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw error;
  });
  if (found && found.value['hidden'] !== true)
    throw new Failure('rejected', `variable ${get.slots['key']} exists and is not hidden`, {
      hint: 'only a new variable can be hidden: delete this one first, with svc variables delete',
    });
  return found !== undefined;
}

const set: Task = async (task) => {
  const { slots, values } = await task.prepare();
  const key = String(values['key']);
  const create: Call = { endpoint: createVariable, slots, values };
  const update: Call = { endpoint: updateVariable, slots: { ...slots, key }, values: updateValues(values) };
  let calls = [update, create];
  if (values['masked_and_hidden'] === true) {
    const { filter = {} } = update.values;
    const get: Call = { endpoint: getVariable, slots: update.slots, values: { filter } };
    if (task.dryRun) calls = [get, ...calls];
    else calls = (await isHidden(task, get)) ? [update] : [create];
  }
  if (task.dryRun) {
    const [first, other] = calls.slice(-2).map(({ endpoint }) => endpoint.method);
    const hidden = calls.length > 2 ? `${first} is sent only if the variable is hidden, ` : '';
    const note = `${hidden}${other} is sent only if the first returns 404`;
    return { ...task.requests(calls), notes: [sayNote(note)] };
  }
  const send = async (call: Call) => {
    const response = await task.call(call);
    task.confirmed(call, response);
    return task.response(response, call.endpoint);
  };
  const [first, other] = calls as [Call, Call?];
  return send(first).catch((error: unknown) => {
    // If the variable does not exist, create it. If the project does not exist, the creation reports that.
    if (other && isAbsent(error)) return send(other);
    throw error;
  });
};

export const runners = { set };
