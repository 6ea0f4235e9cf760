/** The kinds of events that a group hook can subscribe to, and the headers of their deliveries (section 6.1). */
import { samples } from './samples.ts';

/** The subscription flag of a kind of event. */
export type HookFlag = keyof typeof samples;

export const hookFlags = Object.keys(samples) as readonly HookFlag[];

/** Return the name of an event: its flag without `_events`. */
export const eventName = (flag: HookFlag): string => flag.replace(/_events$/, '');

/** Find the flag of an event by its name. `-` and `_` are equal. */
export function findFlag(name: string): HookFlag | undefined {
  const wanted = name.replaceAll('-', '_').replace(/_events$/, '');
  return hookFlags.find((flag) => eventName(flag) === wanted);
}

const singular = (flag: HookFlag): string => eventName(flag).replace(/s$/, '');

/** Return the value of `X-Service-Event`: `Merge Request Hook`. */
export const eventHeader = (flag: HookFlag): string =>
  `${singular(flag)}_hook`
    .replace(/(?:^|_)([a-z])/g, (_, letter: string) => ` ${letter.toUpperCase()}`)
    .trim();

/** Return the value of `trigger` in the log of deliveries: `merge_request_hooks`. */
export const eventTrigger = (flag: HookFlag): string => `${singular(flag)}_hooks`;

type HeaderFact = 'userAgent' | 'idempotencyKey' | 'event' | 'webhookUuid' | 'instance' | 'eventUuid';

/**
 * Return the headers of a delivery, in the order of the specification.
 * @param facts `event` is the value of `X-Service-Event`, `instance` the origin of the service
 * @param token the secret of the hook; undefined if it has none
 */
export const deliveryHeaders = (
  facts: Readonly<Record<HeaderFact, string>>,
  token: string | undefined,
): Record<string, string> => ({
  'Content-Type': 'application/json',
  'User-Agent': facts.userAgent,
  'Idempotency-Key': facts.idempotencyKey,
  'X-Service-Event': facts.event,
  'X-Service-Webhook-UUID': facts.webhookUuid,
  'X-Service-Instance': facts.instance,
  'X-Service-Event-UUID': facts.eventUuid,
  ...(token === undefined ? {} : { 'X-Service-Token': token }),
});
