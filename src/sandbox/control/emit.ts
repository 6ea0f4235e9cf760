/** Send the sample of a webhook event to the hooks that subscribe to it. */
import { isSubscribed } from '../areas/hooks/events.ts';
import { isDisabled } from '../areas/hooks/health.ts';
import type { Hook } from '../areas/hooks/hook.ts';
import { ancestry } from '../core/access.ts';
import type { World } from '../core/behavior.ts';
import type { Group, Project } from '../core/rows.ts';
import { ControlError, membersOf } from './input.ts';
import type { Emitted } from './types.ts';

const visibilityLevels = { private: 0, internal: 10, public: 20 } as const;

function findProject(world: World, id: unknown): Project {
  const table = world.table<Project>('projects');
  const wanted = String(id).toLowerCase();
  const project = /^\d{1,15}$/.test(wanted)
    ? table.get(Number(wanted))
    : table.find((row) => row.path_with_namespace.toLowerCase() === wanted);
  if (!project) throw new ControlError(`the sandbox has no project ${JSON.stringify(id)}`, 404);
  return project;
}

/** `{event, project}` @throws ControlError */
export async function emitSample(world: World, value: unknown): Promise<Emitted> {
  const { event, project: id } = membersOf(value, 'an event', ['event', 'project']);
  const { hookEventNames, hookFlagOf, hookPayload } = await import('../../api/hook-payloads.ts');
  const flag = hookFlagOf(String(event));
  if (!flag)
    throw new ControlError(`unknown event ${JSON.stringify(event)}; events: ${hookEventNames.join(', ')}`);
  if (id === undefined) throw new ControlError('an event requires project');
  const project = findProject(world, id);
  const group = world.table<Group>('groups').get(project.group_id);
  if (!group) throw new Error(`no group ${project.group_id}`);
  const { name, description, path_with_namespace, default_branch, visibility } = project;
  const payload = hookPayload(flag, {
    instance: world.origin,
    time: world.time(),
    group: { id: group.id, name: group.name, path: group.path, full_path: group.full_path },
    project: {
      id: project.id,
      name,
      description,
      path_with_namespace,
      default_branch,
      visibility_level: visibilityLevels[visibility],
    },
  });
  const groups = ancestry(world.store, group.id).map((one) => one.id);
  const branch = flag === 'push_events' ? { branch: default_branch } : {};
  const hooks = world
    .table<Hook>('hooks')
    .filter((hook) => groups.includes(hook.group_id) && !isDisabled(hook, world));
  const subscribed = await Promise.all(hooks.map((hook) => isSubscribed(hook, { flag, ...branch })));
  world.emit({ kind: flag, group_id: group.id, ...branch, payload: () => payload });
  return {
    event: flag.replace(/_events$/, ''),
    project: path_with_namespace,
    hooks: subscribed.filter(Boolean).length,
  };
}
