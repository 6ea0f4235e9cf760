/** Send the sample of a webhook event to the hooks that subscribe to it. */
import { Failure, usage } from '../../errors.ts';
import { text } from '../../spec/field.ts';
import { eventName, findFlag, hookFlags } from '../../webhooks/events.ts';
import { samplePayload, sampleSubject } from '../../webhooks/samples.ts';
import type { ProjectSubject } from '../../webhooks/shapes.ts';
import { hooksOf, isSubscribed } from '../areas/hooks/events.ts';
import { scopeRow } from '../core/access.ts';
import type { Project } from '../core/rows.ts';
import type { World } from '../core/world.ts';
import { membersOf } from './input.ts';
import type { Emitted } from './types.ts';

const fields = {
  event: text('Name of the event', { required: true }),
  project: text('ID or full path', { required: true }),
};

/** `{event, project}` @throws Failure `usage` or `not_found` */
export async function emitSample(world: World, value: unknown): Promise<Emitted> {
  const { event, project: id } = membersOf(value, 'an event', fields);
  const flag = findFlag(String(event));
  if (!flag)
    throw usage(`unknown event ${JSON.stringify(event)}; events: ${hookFlags.map(eventName).join(', ')}`);
  const project = scopeRow(world.store, 'project', String(id)) as Project | undefined;
  if (!project) throw new Failure('not_found', `the sandbox has no project ${JSON.stringify(id)}`);
  const { id: project_id, path_with_namespace, group_id, default_branch } = project;
  const branch = flag === 'push_events' ? default_branch : undefined;
  const subscribed = await Promise.all(
    hooksOf(world, { project_id, group_id }).map((hook) => isSubscribed(world, hook, { flag, branch })),
  );
  const { user } = sampleSubject;
  const payload = (subject: ProjectSubject) => samplePayload(flag, { ...subject, user, time: world.time() });
  world.emit({ kind: flag, project_id, user_id: user.id, branch, payload });
  return { event: eventName(flag), project: path_with_namespace, hooks: subscribed.filter(Boolean).length };
}
