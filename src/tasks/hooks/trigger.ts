/** `hooks trigger`: send a sample of an event to a URL. */
import { randomUUID } from 'node:crypto';
import { usage } from '../../errors.ts';
import { done, type Result } from '../../spec/result.ts';
import { attempt } from '../../support/errno.ts';
import { jsonText } from '../../support/json.ts';
import { isRecord, valueAt } from '../../support/record.ts';
import { alternatives } from '../../support/suggest.ts';
import { parseExactly } from '../../support/text/exact-json.ts';
import { deliveryHeaders, eventHeader, eventName, findFlag, hookFlags } from '../../webhooks/events.ts';
import { samplePayload, sampleSubject } from '../../webhooks/samples.ts';
import { type Maybe, type TaskContext, valuesOf } from '../context.ts';
import { isSuccess, notAccepted, plannedPosts, readSecret, readTarget, shownUrl } from './calls.ts';

/**
 * Replace the value at a path such as `project.name` or `commits.0.message`, in place.
 * @throws Failure `usage` if the path leads through a value without members
 */
function setPath(payload: object, assignment: string): void {
  const [, path = '', text = ''] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
  if (path === '') throw usage('--set requires path=value', 'for example: --set project.name=Rocket');
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const node = keys.length === 0 ? payload : valueAt(payload, keys.join('.'));
  const isPlace = Array.isArray(node) ? /^\d+$/.test(last) && Number(last) <= node.length : isRecord(node);
  if (!isPlace) throw usage(`--set ${path}: the payload has no ${path}`);
  const parsed = attempt(() => parseExactly(text));
  const value = parsed === undefined ? text : parsed;
  Object.assign(node as object, { [last]: value });
}

export async function trigger(
  task: TaskContext,
  { to, token }: { readonly to: string } & Maybe<{ token: string }>,
): Promise<Result> {
  const [name = ''] = task.line.words;
  const flag = findFlag(name);
  const names = hookFlags.map(eventName);
  const hints = () => alternatives(name.replaceAll('-', '_'), names, 'events');
  if (!flag) throw usage(`unknown event ${JSON.stringify(name)}`, hints());
  const url = readTarget(to);
  task.requireWrite();
  const payload = structuredClone(samplePayload(flag, { time: new Date(task.now()).toISOString() }));
  if (task.line.project !== undefined && 'project' in payload) {
    const project = task.scopeId('project', task.line.project, '--project');
    setPath(payload, `project.${/^\d+$/.test(project) ? 'id' : 'path_with_namespace'}=${project}`);
  }
  for (const assignment of valuesOf(task, 'set')) setPath(payload, assignment);
  const secret = await readSecret(task, token, '--token');
  const facts = {
    userAgent: 'svc',
    event: eventHeader(flag),
    instance: sampleSubject.instance,
    ...{ idempotencyKey: randomUUID(), webhookUuid: randomUUID(), eventUuid: randomUUID() },
  };
  const headers = deliveryHeaders(facts, secret);
  const vendor = task.env('SVC_VENDOR') || 'Service';
  const request = {
    url,
    headers: Object.entries(headers).map(
      ([key, value]) => [key.replace('X-Service', `X-${vendor}`), value] as const,
    ),
    secrets: secret === undefined ? [] : [secret],
    body: Buffer.from(jsonText(payload)),
  };
  if (task.dryRun) return plannedPosts(request);
  const response = await task.post(request);
  const event = eventName(flag);
  if (!isSuccess(response.status)) throw notAccepted(url, `the event ${event}`, response);
  const text = `Sent event ${event} to ${shownUrl(url)} (response status ${response.status})`;
  return done({ notes: [{ how: 'done', text }] });
}
