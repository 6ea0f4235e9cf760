/** Apply the state documents of a world file to a new service, as `svc apply` does. */
import { namespaces } from '../../api/namespaces.ts';
import { Failure, usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import type { Row, Target } from '../../spec/resource.ts';
import { suggest } from '../../support/suggest.ts';
import type { TaskContext } from '../context.ts';
import { readRows } from '../engine/actual.ts';
import { desiredState, type References } from '../engine/desired.ts';
import { execute } from '../engine/execute.ts';
import { type Change, changesOf, type Desired, type DesiredKind, type Position } from '../engine/model.ts';
import { makePlan, nameOf } from '../engine/plan.ts';
import type { StateDocument } from '../engine/state-file.ts';
import { failAt } from '../engine/yaml.ts';

export type Service = Pick<TaskContext, 'rows' | 'call' | 'text'>;

/**
 * Read the documents, without the service.
 * @returns a function that applies them to a service. It throws Failure `usage` with the position of the entry
 * @throws Failure `usage` for an unknown kind or attribute, or a missing variable or file
 */
export async function readDocuments(
  documents: readonly StateDocument[],
  references: References,
): Promise<(service: Service) => Promise<void>> {
  const desired = await desiredState(documents, references);
  return async (service) => {
    for (const { target, at } of documents) if (target) await checkTarget(service, target, at);
    await applyDesired(service, desired);
  };
}

async function applyDesired(service: Service, desired: readonly Desired[]): Promise<void> {
  const read = async (target: Target, { resource, calls, entries }: DesiredKind): Promise<readonly Row[]> => {
    const [first] = entries;
    if (!first) return [];
    try {
      return await readRows(service, target, resource, calls, entries);
    } catch (error) {
      throw error instanceof Failure
        ? failAt(first.at, `cannot read ${resource.kind}: ${error.message}`)
        : error;
    }
  };
  // A new service has no values to keep.
  const plan = await makePlan(desired, read, { prune: false, rewriteSecrets: true });
  for (const change of changesOf(plan))
    if (change.unresolved !== undefined) throw failure(change, [change.unresolved]);
  const progress = { step: () => {}, end: () => {} };
  const executions = await execute({ ...service, progress: () => progress }, plan);
  for (const { change, error } of executions)
    if (error) throw failure(change, [error.message, ...error.details]);
}

function failure(change: Change, reasons: readonly string[]): Failure {
  const message = `cannot ${change.action} ${nameOf(change)}: ${reasons.join('; ')}`;
  return change.at ? failAt(change.at, message) : usage(message);
}

async function checkTarget(service: Service, { scope, id }: Target, at: Position): Promise<void> {
  if (scope === 'instance') return;
  const { get, list } = namespaces[scope];
  try {
    await service.call({ endpoint: get, slots: { id }, values: {} });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw failAt(at, `no ${scope} ${JSON.stringify(id)}`, suggest(id, await pathsOf(service, list)));
  }
}

/** Paths that are compared with one that does not exist. */
const maxPaths = 1_000;

async function pathsOf(service: Service, endpoint: Endpoint): Promise<string[]> {
  const paths: string[] = [];
  for await (const row of service.rows({ endpoint, slots: {}, values: {} })) {
    paths.push(String(row['path_with_namespace'] ?? row['full_path']));
    if (paths.length === maxPaths) break;
  }
  return paths;
}
