/** Webhooks of groups (section 4.17) and of projects. */
import { randomUUID } from 'node:crypto';
import { resendLimit } from '../../../api/features.ts';
import { jsonIn } from '../../../support/json.ts';
import { hookFlags } from '../../../webhooks/events.ts';
import { type Collection, collection, findRow, given } from '../../core/collection.ts';
import { type AreaHandlers, type Context, one } from '../../core/context.ts';
import { HttpError } from '../../core/http-error.ts';
import { removeWhere } from '../../core/lookup.ts';
import type { Hash } from '../../core/request/params.ts';
import { minute } from '../../core/time.ts';
import { blockedUrl, isHttpUrl, tooLong } from '../../core/validation.ts';
import { compileRe2 } from '../../git/expression.ts';
import { isOn } from '../../license.ts';
import { type HookEvent, recentEvents, send } from './events.ts';
import { flagsOf, type Header, type Hook, healthView, hookDefaults, isTemplate } from './hook.ts';

/** Headers that HTTP itself sets. */
const reserved = /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive)$/i;

function isHeader({ key, value }: Header): boolean {
  return (
    /^[\w!#$%&'*+.^`|~-]{1,255}$/.test(key) && !reserved.test(key) && /^[\t\x20-\x7e]{0,2048}$/.test(value)
  );
}

async function branchFilterError({
  push_events_branch_filter: filter,
  branch_filter_strategy: strategy,
}: Hook) {
  if (filter.length > 5000) return tooLong(5000);
  const isInvalid = strategy === 'regex' && (await compileRe2(filter).catch(() => undefined)) === undefined;
  return isInvalid && ['must be a valid regex'];
}

const settable = [
  ...hookFlags,
  'name',
  'description',
  'push_events_branch_filter',
  'branch_filter_strategy',
  'custom_webhook_template',
  'enable_ssl_verification',
];

const hooksOfScope: Collection<Hook> = {
  table: 'hooks',
  view: (ctx, row) => healthView(row, ctx),
  // Pushes are the default subscription (section 6).
  defaults: () => ({ ...flagsOf(['push_events']), ...hookDefaults, uuid: randomUUID() }),
  changes: (ctx) => {
    const { params } = ctx;
    const headers = params
      .list<Hash>('custom_headers')
      ?.map(({ key, value }): Header => ({ key: String(key), value: String(value ?? '') }));
    return {
      ...given(ctx, hookDefaults, settable),
      ...(params.has('url') ? { url: params.text('url')?.trim() ?? '' } : {}),
      ...(headers ? { custom_headers: headers } : {}),
      ...(params.has('token') ? { token: params.text('token') || null } : {}),
    };
  },
  check: async (_, hook) => ({
    url: (!isHttpUrl(hook.url) || hook.url.length > 2048) && blockedUrl,
    token: /[\r\n]/.test(hook.token ?? '') && ['is invalid'],
    push_events_branch_filter: await branchFilterError(hook),
    custom_webhook_template: !isTemplate(hook.custom_webhook_template) && [
      'must be a valid template with placeholders such as {{ user_name }}',
    ],
    custom_headers: !hook.custom_headers.every(isHeader) && ['must have valid header names and values'],
  }),
  after: (ctx, action, row) => {
    if (action === 'delete')
      removeWhere(ctx.table<HookEvent>('hook_events'), ({ hook_id }) => hook_id === row.id);
  },
};

const categories: Readonly<Record<string, number>> = { successful: 2, client_failure: 4, server_failure: 5 };

function hasStatus({ response_status }: HookEvent, wanted: string): boolean {
  const category = categories[wanted];
  if (category === undefined) return response_status === wanted;
  return /^\d{3}$/.test(response_status) && Math.floor(Number(response_status) / 100) === category;
}

/** Resends per minute of each hook and user (section 8). */
const maxResends = 5;

function limitResends(ctx: Context, hook: Hook): void {
  const resends = ctx.cached('hook-resends', () => new Map<string, number[]>());
  const key = `${hook.id} ${ctx.requireUser().id}`;
  const recent = (resends.get(key) ?? []).filter((time) => time > ctx.now() - minute);
  const [oldest = ctx.now()] = recent;
  if (recent.length >= maxResends) {
    const wait = Math.ceil((oldest + minute - ctx.now()) / 1000);
    const message = { error: 'This endpoint has been requested too many times. Try again later.' };
    throw new HttpError(429, { message }, { 'retry-after': String(Math.max(1, wait)) });
  }
  resends.set(key, [...recent, ctx.now()]);
}

const events: Collection<HookEvent> = {
  table: 'hook_events',
  title: 'Event',
  rows: (ctx) => recentEvents(ctx, findRow(ctx, hooksOfScope)),
  find: ({ slots }, rows) => rows.find(({ id }) => id === slots.number('hook_event_id')),
  filters: { status: (value) => (row) => hasStatus(row, String(value)) },
  order: '-created_at',
  // A template can produce any text.
  view: (_, row) => ({ ...row, request_data: jsonIn(row.message.body) ?? row.message.body }),
};

export const hooks: AreaHandlers = {
  area: 'hooks',
  collection: collection(hooksOfScope),
  handlers: {
    events: collection(events),

    /** The status is 0 if there was no response. A disabled hook is called too: a success enables it again. */
    resend: async (ctx) => {
      const hook = findRow(ctx, hooksOfScope);
      const event = findRow(ctx, events);
      if (isOn(ctx, resendLimit)) limitResends(ctx, hook);
      const sent = await send(ctx, hook, event.trigger, event.message);
      return one(ctx, { response_status: Number(sent.response_status) || 0 });
    },
  },
};
