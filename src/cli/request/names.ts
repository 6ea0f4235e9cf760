/** Names in place of ids: `latest` and `latest:<ref>` for a pipeline, `@me` for the user of the token. Each is found with one request. */
import { scopePath } from '../../config/scope.ts';
import { Failure, forPerson, usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { type Field, itemOf, keysOf } from '../../spec/field.ts';
import { idNames, namedBy } from '../../spec/names.ts';
import { isRecord } from '../../support/record.ts';
import { commandLine } from '../../support/shell.ts';
import { getObject } from '../builtin/auth/token-owner.ts';
import { addHints } from '../call/hints.ts';
import type { Session } from '../session/model.ts';
import { isDryRun } from './build.ts';
import { validate } from './parameters.ts';
import { fetchCall, readObject } from './response.ts';

type Given = Readonly<Record<string, unknown>>;

/** Returns the value of a name. @param attribute of the pipeline or the user */
type Find = (name: string, attribute: string) => string | Promise<string>;

/**
 * Validate the values with those in place of the names. A dry run and a check send nothing, so they keep the names.
 * @param id the project
 * @throws Failure `usage` before a request, `not_found` without a pipeline
 */
export async function validateNamed(
  session: Session,
  id: string | undefined,
  endpoint: Endpoint,
  slots: Given,
  values: Given,
): ReturnType<typeof validate> {
  const sample = await namesIn(endpoint, slots, values, () => '1');
  const checked = await validate(endpoint, { ...slots, ...sample.slots }, { ...values, ...sample.values });
  if (!isDryRun(session) && !session.isCheck) {
    const found = await namesIn(endpoint, slots, values, finderFor(session, id));
    return validate(endpoint, { ...slots, ...found.slots }, { ...values, ...found.values });
  }
  const word = (given: unknown, valid: unknown): unknown =>
    Array.isArray(given) && Array.isArray(valid)
      ? given.map((item, at) => (item === '@me' ? item : valid[at]))
      : given;
  const kept = (all: Given, named: Given, valid: Given) =>
    Object.fromEntries(Object.keys(named).map((name) => [name, word(all[name], valid[name])]));
  const words = {
    slots: kept(slots, sample.slots, checked.slots) as Record<string, string>,
    values: kept(values, sample.values, checked.values) as typeof checked.values,
  };
  const isNamed = Object.values(words).some((named) => Object.keys(named).length > 0);
  if (isNamed && isDryRun(session))
    session.notes.sayOnce('The requests that resolve names such as latest or @me are not shown.');
  return { slots: { ...checked.slots, ...words.slots }, values: { ...checked.values, ...words.values } };
}

/** Replace the names in the arguments and parameters of an endpoint. @returns only those that contain a name */
async function namesIn(endpoint: Endpoint, slots: Given, values: Given, find: Find) {
  const named = { slots: {} as Record<string, unknown>, values: {} as Record<string, unknown> };
  for (const [slot, value] of Object.entries(slots)) {
    const found = await filled(endpoint.slots[slot], value, find);
    if (found !== value) named.slots[slot] = found;
  }
  for (const [name, value] of Object.entries(values)) {
    const found = await filled(endpoint.takes[name], value, find);
    if (found !== value) named.values[name] = found;
  }
  return named;
}

async function filled(field: Field | undefined, value: unknown, find: Find): Promise<unknown> {
  if (Array.isArray(value)) {
    if (!value.includes('@me') || !field) return value;
    return Promise.all(value.map((item) => filled(itemOf(field), item, find)));
  }
  if (isRecord(value)) {
    if (!Object.values(value).includes('@me')) return value;
    const found = Object.entries(value).map(async ([key, item]) => [
      key,
      await filled(keysOf(field)?.[key], item, find),
    ]);
    return Object.fromEntries(await Promise.all(found));
  }
  const { area, attribute } = namedBy(field?.suggest);
  return idNames[area]?.test(String(value)) ? find(String(value), attribute) : value;
}

const known = new WeakMap<object, Map<string, Promise<Given>>>();

/**
 * Returns a function that finds names with the token of a session, each once.
 * @param given the project of the call; by default, that of the settings
 */
function finderFor(session: Session, given: string | undefined): Find {
  const { project, baseUrl } = session.settings;
  const id = given ?? (project && scopePath('project', project, baseUrl?.value));
  // The sessions of `svc each` have the same connection.
  const found = known.get(session.root) ?? new Map<string, Promise<Given>>();
  known.set(session.root, found);
  return async (name, attribute) => {
    const key = `${name} ${name === '@me' ? '' : id}`;
    const object = found.get(key) ?? (name === '@me' ? findUser(session) : findPipeline(session, id, name));
    found.set(key, object);
    return String((await object)[attribute]);
  };
}

async function findUser(session: Session) {
  const user = await getObject(session, '/user');
  session.notes.say(`@me is ${user['username']} (user ${user['id']})`);
  return user;
}

async function findPipeline(session: Session, id: string | undefined, name: string) {
  if (id === undefined)
    throw usage(`${name} requires a project`, forPerson('set SVC_PROJECT, or use the id of the pipeline'));
  if (id === '.') {
    const { projectOfCheckout } = await import('../session/checkout.ts');
    id = await projectOfCheckout(session.context.cwd, session.root());
  }
  const { latestPipeline } = await import('../../api/pipelines.ts');
  const [, ref] = idNames['pipelines']?.exec(name) ?? [];
  const values = ref === undefined ? {} : { ref };
  const call = { endpoint: latestPipeline, slots: { id }, values };
  try {
    const { value } = await readObject(await fetchCall(session, call));
    session.notes.say(`${name} is pipeline ${value['id']} (${value['ref']}, ${value['status']})`);
    return value;
  } catch (error) {
    if (ref === undefined || !(error instanceof Failure && error.kind === 'not_found'))
      throw await addHints(error, call, session);
    const words = ['svc', 'pipelines', 'list', '--project', decodeURIComponent(id), '--ref', ref];
    const hint = forPerson(`${commandLine(words)} lists the pipelines of a branch or tag`);
    throw error.with({ message: `no pipeline of ${ref} found`, hint });
  }
}
