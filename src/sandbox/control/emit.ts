/** Send the sample of a webhook event to the hooks that subscribe to it. */
import { eventName, findFlag, hookFlags } from '../../webhooks/events.ts';
import { samplePayload, sampleSubject } from '../../webhooks/samples.ts';
import type { ProjectSubject } from '../../webhooks/shapes.ts';
import { isSubscribed } from '../areas/hooks/events.ts';
import { type Hook, isDisabled } from '../areas/hooks/hook.ts';
import { ancestry } from '../core/access.ts';
import type { Project } from '../core/rows.ts';
import type { World } from '../core/world.ts';
import { ControlError, membersOf } from './input.ts';
import type { Emitted } from './types.ts';

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
  const flag = findFlag(String(event));
  if (!flag) {
    const names = hookFlags.map(eventName).join(', ');
    throw new ControlError(`unknown event ${JSON.stringify(event)}; events: ${names}`);
  }
  if (id === undefined) throw new ControlError('an event requires project');
  const { id: project_id, path_with_namespace, group_id, default_branch } = findProject(world, id);
  const groups = ancestry(world.store, group_id).map((one) => one.id);
  const branch = flag === 'push_events' ? { branch: default_branch } : {};
  const hooks = world
    .table<Hook>('hooks')
    .filter((hook) => groups.includes(hook.group_id) && !isDisabled(hook, world));
  const subscribed = await Promise.all(hooks.map((hook) => isSubscribed(hook, { flag, ...branch })));
  const { user } = sampleSubject;
  const payload = (subject: ProjectSubject) => samplePayload(flag, { ...subject, user, time: world.time() });
  world.emit({ kind: flag, project_id, user_id: user.id, ...branch, payload });
  return { event: eventName(flag), project: path_with_namespace, hooks: subscribed.filter(Boolean).length };
}
