/** A group's hook, and what it makes of an event: whether it wants it, and what it sends (section 6.1). */
import type { Row } from '../../core/rows.ts';

export interface Header {
  readonly key: string;
  readonly value: string;
}

export interface Hook extends Row {
  group_id: number;
  uuid: string;
  url: string;
  name: string;
  description: string;
  created_at: string;
  alert_status: string;
  disabled_until: string | null;
  push_events: boolean;
  tag_push_events: boolean;
  push_events_branch_filter: string;
  branch_filter_strategy: string;
  enable_ssl_verification: boolean;
  custom_webhook_template: string;
  custom_headers: readonly Header[];
  url_variables: readonly unknown[];
  /** Sent with each call, never shown. */
  token: string | null;
  [flag: string]: unknown;
}

/** A pattern with `*` for anything, slashes too, as a regular expression. */
function wildcard(pattern: string): string {
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return `^${parts.join('.*')}$`;
}

/** Milliseconds that a pattern may take: one that goes round and round must not hold up the sandbox. */
const patience = 100;

async function finds(pattern: string, text: string): Promise<boolean> {
  const { runInNewContext } = await import('node:vm');
  try {
    return (
      runInNewContext('new RegExp(pattern).test(text)', { pattern, text }, { timeout: patience }) === true
    );
  } catch {
    return false;
  }
}

/** Whether JavaScript's engine takes it for a regular expression. */
export function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

/** Whether a push to this branch passes the hook's filter. */
export async function wantsBranch(hook: Hook, branch: string): Promise<boolean> {
  const { push_events_branch_filter: filter, branch_filter_strategy: strategy } = hook;
  if (strategy === 'all_branches' || filter === '') return true;
  return finds(strategy === 'regex' ? filter : wildcard(filter), branch);
}

const placeholder = /\{\{\s*([\w.]+)\s*\}\}/g;

/** Whether each `{{` of a template opens a placeholder that is spelled rightly. */
export function isTemplate(text: string): boolean {
  return !/\{\{|\}\}/.test(text.replace(placeholder, ''));
}

function reach(payload: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => {
    const isHolder = typeof at === 'object' && at !== null && Object.hasOwn(at, key);
    return isHolder ? (at as Record<string, unknown>)[key] : undefined;
  }, payload);
}

/** In a template that is JSON, text is escaped so that it stays within its quotes. */
export function fillTemplate(template: string, payload: object): string {
  const isJson = /^\s*[[{]/.test(template);
  return template.replace(placeholder, (_, path: string) => {
    const value = reach(payload, path);
    if (value === undefined || value === null) return '';
    if (typeof value !== 'string') return JSON.stringify(value);
    return isJson ? JSON.stringify(value).slice(1, -1) : value;
  });
}

export const hidden = '[REDACTED]';

/** What one call of a hook says: kept, so that it can be said again. */
export interface Message {
  /** `Push Hook` */
  readonly event: string;
  readonly body: string;
  readonly idempotencyKey: string;
  readonly eventUuid: string;
}

/**
 * The headers of a call.
 * @param instance the sandbox's own address
 * @param show whether secrets are in them, or what stands in for them
 */
export function headersOf(
  hook: Hook,
  message: Message,
  instance: string,
  show: 'secrets' | 'log',
): Record<string, string> {
  const secret = (value: string) => (show === 'secrets' ? value : hidden);
  return {
    ...Object.fromEntries(hook.custom_headers.map(({ key, value }) => [key, secret(value)])),
    'Content-Type': 'application/json',
    'User-Agent': 'svc-sandbox',
    'Idempotency-Key': message.idempotencyKey,
    'X-Service-Event': message.event,
    'X-Service-Webhook-UUID': hook.uuid,
    'X-Service-Instance': instance,
    'X-Service-Event-UUID': message.eventUuid,
    ...(hook.token === null ? {} : { 'X-Service-Token': secret(hook.token) }),
  };
}
