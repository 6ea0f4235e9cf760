import { randomUUID } from 'node:crypto';
import { hookEvents } from '../../../api/hook-events.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { HttpError } from '../../core/http-error.ts';
import { type HookEvent, recentEvents, send, tellHooks } from './events.ts';
import { type Header, type Hook, isPattern, isTemplate } from './hook.ts';

const strategies = 'branch_filter_strategy';

function meant(ctx: RequestContext): Hook {
  const id = ctx.slots.number('hook_id');
  const row = ctx.table<Hook>('hooks').find((hook) => hook.id === id && hook.group_id === ctx.group.id);
  if (!row) throw ctx.notFound('Hook');
  return row;
}

/** Headers that belong to HTTP itself. */
const reserved = /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive)$/i;

function isHeader({ key, value }: Header): boolean {
  return (
    /^[\w!#$%&'*+.^`|~-]{1,255}$/.test(key) && !reserved.test(key) && /^[\t\x20-\x7e]{0,2048}$/.test(value)
  );
}

function isAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && text.length <= 2048;
}

function check(ctx: RequestContext, hook: Partial<Hook>): void {
  const errors: Record<string, string[]> = {};
  const filter = hook.push_events_branch_filter ?? '';
  if (!isAddress(hook.url ?? '')) errors['url'] = ['is blocked: Only allowed schemes are http, https'];
  if (filter.length > 5000) {
    errors['push_events_branch_filter'] = ['is too long (maximum is 5000 characters)'];
  } else if (hook[strategies] === 'regex' && !isPattern(filter)) {
    errors['push_events_branch_filter'] = ['must be a valid regex'];
  }
  if (!isTemplate(hook.custom_webhook_template ?? '')) {
    errors['custom_webhook_template'] = [
      'must be a valid template: {{ and }} stand around the name of a field',
    ];
  }
  if (!hook.custom_headers?.every(isHeader)) {
    errors['custom_headers'] = ['must be a valid name and value of a header'];
  }
  if (Object.keys(errors).length > 0) throw ctx.badRequest(errors);
}

const blank = {
  name: '',
  description: '',
  alert_status: 'executable',
  disabled_until: null,
  push_events_branch_filter: '',
  branch_filter_strategy: 'wildcard',
  enable_ssl_verification: true,
  custom_webhook_template: '',
  custom_headers: [],
  url_variables: [],
  token: null,
} as const;

/** All subscriptions of section 6; pushes alone are on by default. */
const noFlags = Object.fromEntries(Object.keys(hookEvents).map((flag) => [flag, flag === 'push_events']));

/** The settings that the call gives. @throws HttpError 400 */
function given(ctx: RequestContext, row: Hook | undefined): Partial<Omit<Hook, 'id'>> {
  const { params } = ctx;
  const url = params.text('url')?.trim();
  const headers = params.rows('custom_headers')?.map(
    ({ key, value }): Header => ({
      key: String(key),
      value: String(value ?? ''),
    }),
  );
  const texts = ['name', 'description', 'push_events_branch_filter', 'custom_webhook_template'];
  const flags = [...Object.keys(hookEvents), 'enable_ssl_verification'];
  const changes: Partial<Omit<Hook, 'id'>> = {
    ...(params.has('url') ? { url: url ?? '' } : {}),
    ...Object.fromEntries(
      texts.filter((name) => params.has(name)).map((name) => [name, params.text(name) ?? '']),
    ),
    ...Object.fromEntries(
      flags.filter((name) => params.has(name)).map((name) => [name, params.bool(name) ?? false]),
    ),
    ...(params.text(strategies) ? { [strategies]: params.text(strategies) } : {}),
    ...(headers ? { custom_headers: headers } : {}),
    ...(params.has('token') ? { token: params.text('token') || null } : {}),
  };
  check(ctx, { ...blank, ...row, ...changes });
  return changes;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // A template may be of any kind.
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

/** Section 8: five a minute for each hook and user. */
const limit = 5;
const minute = 60_000;

function limitResends(ctx: RequestContext, hook: Hook): void {
  const made = ctx.keep('hook-resends', () => new Map<string, number[]>());
  const key = `${hook.id} ${ctx.requireUser().id}`;
  const recent = (made.get(key) ?? []).filter((time) => time > ctx.now() - minute);
  if (recent.length >= limit) {
    const wait = Math.ceil(((recent[0] as number) + minute - ctx.now()) / 1000);
    const message = { error: 'This endpoint has been requested too many times. Try again later.' };
    throw new HttpError(429, { message }, { 'retry-after': String(Math.max(1, wait)) });
  }
  made.set(key, [...recent, ctx.now()]);
}

export const hooks = behaviors(
  'hooks',
  {
    list: (ctx) => ctx.list(ctx.table<Hook>('hooks').filter((hook) => hook.group_id === ctx.group.id)),

    get: (ctx) => ctx.one(meant(ctx)),

    create: (ctx) => {
      const row = ctx.table<Hook>('hooks').insert({
        ...noFlags,
        ...blank,
        group_id: ctx.group.id,
        uuid: randomUUID(),
        created_at: ctx.time(),
        ...given(ctx, undefined),
      } as Omit<Hook, 'id'>);
      return ctx.one(row);
    },

    update: (ctx) => {
      const row = meant(ctx);
      return ctx.one(ctx.table<Hook>('hooks').update(row, given(ctx, row)));
    },

    delete: (ctx) => {
      const row = meant(ctx);
      ctx.remove('hooks', row);
      const log = ctx.table<HookEvent>('hook_events');
      for (const event of log.filter(({ hook_id }) => hook_id === row.id)) log.remove(event);
      return ctx.noContent();
    },

    events: (ctx) => {
      const status = ctx.params.text('status');
      const rows = recentEvents(ctx, meant(ctx)).filter((row) => hasStatus(row, status));
      return ctx.list(rows, { view: (row) => ({ ...row, request_data: parsed(row.message.body) }) });
    },

    /** A status of 0 says that no answer came. */
    resend: async (ctx) => {
      const hook = meant(ctx);
      const id = ctx.slots.number('hook_event_id');
      const event = recentEvents(ctx, hook).find((row) => row.id === id);
      if (!event) throw ctx.notFound('Event');
      limitResends(ctx, hook);
      const sent = await send(ctx, hook, event.trigger, event.message);
      return ctx.one({ response_status: Number(sent.response_status) || 0 });
    },
  },
  { onEvent: tellHooks },
);
