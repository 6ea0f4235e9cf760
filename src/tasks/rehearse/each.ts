/** Rehearse a command of `svc each`. */
import { resources } from '../../api/resources.ts';
import { usage } from '../../errors.ts';
import { type ResourceCalls, scopeOf, type Target } from '../../spec/resource.ts';
import type { Result } from '../../spec/result.ts';
import type { EachContext, Subcommand, TargetLine } from '../context.ts';
import { loadResource } from '../engine/desired.ts';
import { targetKey } from '../engine/model.ts';
import type { CopiedTarget } from './copy.ts';
import { rehearse } from './rehearse.ts';

/** The kinds that a command changes: those with one of its calls, or those of the area of a task. @throws Failure `usage` if there are none */
async function kindsOf({ endpoints, area, effect, path }: Subcommand): Promise<CopiedTarget['kinds']> {
  if (effect === 'read') throw usage(`svc ${path} only reads, so there is nothing to rehearse`);
  const kinds = await Promise.all(Object.keys(resources).map((kind) => loadResource(kind)));
  const isSent = ({ create, update, delete: remove }: ResourceCalls) =>
    endpoints.some(({ method, path }) =>
      [create, update, remove].some((one) => one?.method === method && one.path === path),
    );
  const changed = kinds.flatMap((resource) => {
    const isOwn = endpoints.length === 0 && resource.kind === area.replace('-', '_');
    return resource.calls.filter((calls) => isOwn || isSent(calls)).map((calls) => ({ resource, calls }));
  });
  if (changed.length > 0) return changed;
  throw usage(`svc each cannot rehearse svc ${path}: svc export does not include these resources`, [
    `kinds: ${Object.keys(resources).join(', ')}`,
    ...(path === 'apply' ? ['use svc apply --rehearse'] : []),
  ]);
}

/** The project or the group of a line. With --rows, its name is that of the only scope. @throws Failure `usage` */
function targetOf({ target, name }: TargetLine, kinds: CopiedTarget['kinds']): Target {
  const [scope = 'instance', another] = new Set(kinds.map(({ calls }) => scopeOf(calls)));
  if (target) return target;
  if (another) throw usage('--rehearse and --rows need a command that has only projects or only groups');
  return { scope, id: scope === 'instance' ? '' : name };
}

/** @throws Failure `usage` for a command whose resources cannot be copied */
export async function rehearseEach(task: EachContext, lines: readonly TargetLine[]): Promise<Result> {
  const kinds = await kindsOf(task.subcommand);
  const targets = new Map<string, CopiedTarget>();
  for (const line of lines) {
    const target = targetOf(line, kinds);
    const own = kinds.filter(({ calls }) => scopeOf(calls) === target.scope);
    targets.set(JSON.stringify(targetKey(target)), { target, kinds: own });
  }
  return rehearse(task, [...targets.values()], async (copy) => {
    const { subcommand } = copy as EachContext;
    const problems: string[] = [];
    for (const line of lines) {
      const { failure } = await subcommand.run(line);
      if (failure) problems.push(`${line.name}: ${failure.message}`);
    }
    return { problems };
  });
}
