/** Rows of hooks, their health, and the filters, templates and headers of their requests (section 6.1). */

import { valueAt } from '../../../support/record.ts';
import { matchesWildcard } from '../../../support/text/wildcard.ts';
import { deliveryHeaders, type HookFlag, hookFlags } from '../../../webhooks/events.ts';
import type { Row } from '../../core/rows.ts';
import { day, iso, minute } from '../../core/time.ts';
import type { Clock, World } from '../../core/world.ts';
import { compileRe2 } from '../../git/expression.ts';

export interface Header {
  readonly key: string;
  readonly value: string;
}

export const hookDefaults = {
  url: '',
  name: '',
  description: '',
  alert_status: 'executable',
  disabled_until: null as string | null,
  /** Consecutive failed deliveries. */
  failures: 0,
  push_events_branch_filter: '',
  branch_filter_strategy: 'wildcard',
  enable_ssl_verification: true,
  custom_webhook_template: '',
  custom_headers: [] as readonly Header[],
  url_variables: [] as readonly unknown[],
  /** Sent with each request, never shown. */
  token: null as string | null,
};

type Settings = typeof hookDefaults;

export interface Hook extends Row, Record<HookFlag, boolean>, Settings {
  /** Null for a hook of a project. */
  group_id: number | null;
  /** Null for a hook of a group. */
  project_id: number | null;
  uuid: string;
  created_at: string;
}

export const flagsOf = (subscribed: readonly HookFlag[]): Record<HookFlag, boolean> =>
  Object.fromEntries(hookFlags.map((flag) => [flag, subscribed.includes(flag)])) as Record<HookFlag, boolean>;

export async function wantsBranch(hook: Hook, branch: string): Promise<boolean> {
  const { push_events_branch_filter: filter, branch_filter_strategy: strategy } = hook;
  if (strategy === 'all_branches' || filter === '') return true;
  return strategy === 'regex' ? (await compileRe2(filter))(branch) : matchesWildcard(filter, branch);
}

const placeholder = /\{\{\s*([\w.]+)\s*\}\}/g;

export function isTemplate(text: string): boolean {
  return !/\{\{|\}\}/.test(text.replace(placeholder, ''));
}

/** Fill in a template. In a JSON template, text is escaped so that it cannot end its string. */
export function fillTemplate(template: string, payload: object): string {
  const isJson = /^\s*[[{]/.test(template);
  return template.replace(placeholder, (_, path: string) => {
    const value = valueAt(payload, path);
    if (value === undefined || value === null) return '';
    if (typeof value !== 'string') return JSON.stringify(value);
    return isJson ? JSON.stringify(value).slice(1, -1) : value;
  });
}

export const redacted = '[REDACTED]';

/** The content of one delivery, stored so that it can be resent. */
export interface Message {
  /** Value of `X-Service-Event`, such as `Push Hook`. */
  readonly event: string;
  readonly body: string;
  readonly idempotencyKey: string;
  readonly eventUuid: string;
}

/**
 * Return the headers of a delivery.
 * @param instance the address of the sandbox
 * @param show `secrets` for the request itself, `log` to redact secrets
 */
export function headersOf(
  hook: Hook,
  message: Message,
  instance: string,
  show: 'secrets' | 'log',
): Record<string, string> {
  const secret = (value: string) => (show === 'secrets' ? value : redacted);
  return {
    ...Object.fromEntries(hook.custom_headers.map(({ key, value }) => [key, secret(value)])),
    ...deliveryHeaders(
      { ...message, userAgent: 'svc-sandbox', webhookUuid: hook.uuid, instance },
      hook.token === null ? undefined : secret(hook.token),
    ),
  };
}

// The health of a hook: section 6.1 does not show it; this follows similar services.

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

export function recordOutcome(world: World, { id }: Hook, succeeded: boolean): void {
  const hooks = world.table<Hook>('hooks');
  const hook = hooks.get(id);
  // The hook may have been deleted meanwhile.
  if (!hook) return;
  const failures = succeeded ? 0 : hook.failures + 1;
  if (failures > 0 || hook.failures > 0) hooks.update(hook, healthAfter(world, failures));
}

const isOver = ({ disabled_until }: Hook, clock: Clock): boolean =>
  disabled_until !== null && Date.parse(disabled_until) <= clock.now();

export function isDisabled(hook: Hook, clock: Clock): boolean {
  return hook.alert_status !== 'executable' && !isOver(hook, clock);
}

export function healthView(hook: Hook, clock: Clock): Hook {
  return isOver(hook, clock) ? { ...hook, alert_status: 'executable', disabled_until: null } : hook;
}
