/** The health of a webhook. Section 6.1 does not show it; this follows similar services. */
import type { Clock, World } from '../../core/behavior.ts';
import { day, iso, minute } from '../../core/time.ts';
import type { Hook } from './hook.ts';

/** Consecutive failures after which deliveries are suspended: for a minute, and for twice as long after each further one. */
const suspendedAfter = 4;
/** Consecutive failures after which deliveries end. */
const disabledAfter = 40;

type Health = Pick<Hook, 'failures' | 'alert_status' | 'disabled_until'>;

function healthAfter(clock: Clock, failures: number): Health {
  if (failures < suspendedAfter) return { failures, alert_status: 'executable', disabled_until: null };
  if (failures >= disabledAfter) return { failures, alert_status: 'disabled', disabled_until: null };
  const pause = Math.min(day, minute * 2 ** (failures - suspendedAfter));
  return { failures, alert_status: 'temporarily_disabled', disabled_until: iso(clock.now() + pause) };
}

/** Record the outcome of a delivery. A success resets the health. */
export function recordOutcome(world: World, { id }: Hook, succeeded: boolean): void {
  const hooks = world.table<Hook>('hooks');
  const hook = hooks.get(id);
  // The hook may have been deleted meanwhile. States of earlier versions have no count.
  if (!hook) return;
  const failures = succeeded ? 0 : (hook.failures ?? 0) + 1;
  if (failures > 0 || hook.failures > 0) hooks.update(hook, healthAfter(world, failures));
}

const isOver = ({ disabled_until }: Hook, clock: Clock): boolean =>
  disabled_until !== null && Date.parse(disabled_until) <= clock.now();

/** Whether events are not delivered to the hook. */
export function isDisabled(hook: Hook, clock: Clock): boolean {
  return hook.alert_status !== 'executable' && !isOver(hook, clock);
}

/** A hook with its health at this time. */
export function healthView(hook: Hook, clock: Clock): Hook {
  return isOver(hook, clock) ? { ...hook, alert_status: 'executable', disabled_until: null } : hook;
}
