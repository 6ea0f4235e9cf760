/** Webhooks of a group (section 4.17). */
import { randomUUID } from 'node:crypto';
import { resendLimit } from '../../../api/features.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { HttpError } from '../../core/http-error.ts';
import { findById, removeWhere } from '../../core/lookup.ts';
import { minute } from '../../core/time.ts';
import { blockedUrl, isHttpUrl, type Messages, rejectInvalid, tooLong } from '../../core/validation.ts';
import { isOn } from '../../features.ts';
import { deliverEvent, type HookEvent, recentEvents, send } from './events.ts';
import { healthView } from './health.ts';
import { flagNames, flagsOf, type Header, type Hook, hookDefaults, isPattern, isTemplate } from './hook.ts';

const hooksOf = (ctx: RequestContext): Hook[] =>
  ctx.table<Hook>('hooks').filter((hook) => hook.group_id === ctx.group.id);

const findHook = (ctx: RequestContext): Hook => findById(ctx, hooksOf(ctx), 'hook_id', 'Hook');

/** Headers that HTTP itself sets. */
const reserved = /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive)$/i;

function isHeader({ key, value }: Header): boolean {
  return (
    /^[\w!#$%&'*+.^`|~-]{1,255}$/.test(key) && !reserved.test(key) && /^[\t\x20-\x7e]{0,2048}$/.test(value)
  );
}

function check(hook: Pick<Hook, keyof typeof hookDefaults>): void {
  const errors: Messages = {};
  const filter = hook.push_events_branch_filter;
  if (!isHttpUrl(hook.url) || hook.url.length > 2048) errors['url'] = blockedUrl;
  if (filter.length > 5000) {
    errors['push_events_branch_filter'] = tooLong(5000);
  } else if (hook.branch_filter_strategy === 'regex' && !isPattern(filter)) {
    errors['push_events_branch_filter'] = ['must be a valid regex'];
  }
  if (!isTemplate(hook.custom_webhook_template)) {
    errors['custom_webhook_template'] = [
      'must be a valid template with placeholders such as {{ user_name }}',
    ];
  }
  if (!hook.custom_headers.every(isHeader)) {
    errors['custom_headers'] = ['must have valid header names and values'];
  }
  rejectInvalid(errors);
}

/** Return the attributes that the request sets. @throws HttpError 400 */
function changesFrom(ctx: RequestContext, row: Hook | undefined): Partial<Omit<Hook, 'id'>> {
  const { params } = ctx;
  const strategy = params.text('branch_filter_strategy');
  const headers = params
    .rows('custom_headers')
    ?.map(({ key, value }): Header => ({ key: String(key), value: String(value ?? '') }));
  const texts = ['name', 'description', 'push_events_branch_filter', 'custom_webhook_template'];
  const flags = [...flagNames, 'enable_ssl_verification'];
  const changes: Partial<Omit<Hook, 'id'>> = {
    ...(params.has('url') ? { url: params.text('url')?.trim() ?? '' } : {}),
    ...Object.fromEntries(
      texts.filter((name) => params.has(name)).map((name) => [name, params.text(name) ?? '']),
    ),
    ...Object.fromEntries(
      flags.filter((name) => params.has(name)).map((name) => [name, params.bool(name) ?? false]),
    ),
    ...(strategy ? { branch_filter_strategy: strategy } : {}),
    ...(headers ? { custom_headers: headers } : {}),
    ...(params.has('token') ? { token: params.text('token') || null } : {}),
  };
  check({ ...hookDefaults, ...row, ...changes });
  return changes;
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // A template can produce any text.
    return body;
  }
}

const categories: Readonly<Record<string, number>> = { successful: 2, client_failure: 4, server_failure: 5 };

function hasStatus({ response_status }: HookEvent, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  const category = categories[wanted];
  if (category === undefined) return response_status === wanted;
  return /^\d{3}$/.test(response_status) && Math.floor(Number(response_status) / 100) === category;
}

/** Resends per minute of each hook and user (section 8). */
const maxResends = 5;

function limitResends(ctx: RequestContext, hook: Hook): void {
  const resends = ctx.keep('hook-resends', () => new Map<string, number[]>());
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

export const hooks = behaviors(
  'hooks',
  {
    list: (ctx) => ctx.list(hooksOf(ctx), { view: (row) => healthView(row, ctx) }),

    get: (ctx) => ctx.one(healthView(findHook(ctx), ctx)),

    create: (ctx) => {
      const row = ctx.table<Hook>('hooks').insert({
        // Pushes are the default subscription (section 6).
        ...flagsOf(['push_events']),
        ...hookDefaults,
        group_id: ctx.group.id,
        uuid: randomUUID(),
        created_at: ctx.time(),
        ...changesFrom(ctx, undefined),
      });
      return ctx.one(row);
    },

    update: (ctx) => {
      const row = findHook(ctx);
      return ctx.one(healthView(ctx.table<Hook>('hooks').update(row, changesFrom(ctx, row)), ctx));
    },

    delete: (ctx) => {
      const row = findHook(ctx);
      ctx.remove('hooks', row);
      removeWhere(ctx.table<HookEvent>('hook_events'), ({ hook_id }) => hook_id === row.id);
      return ctx.noContent();
    },

    events: (ctx) => {
      const status = ctx.params.text('status');
      const rows = recentEvents(ctx, findHook(ctx)).filter((row) => hasStatus(row, status));
      return ctx.list(rows, { view: (row) => ({ ...row, request_data: parseBody(row.message.body) }) });
    },

    /** The status is 0 if there was no response. A disabled hook is called too: a success enables it again. */
    resend: async (ctx) => {
      const hook = findHook(ctx);
      const event = findById(ctx, recentEvents(ctx, hook), 'hook_event_id', 'Event');
      if (isOn(ctx, resendLimit)) limitResends(ctx, hook);
      const sent = await send(ctx, hook, event.trigger, event.message);
      return ctx.one({ response_status: Number(sent.response_status) || 0 });
    },
  },
  { onEvent: deliverEvent },
);
