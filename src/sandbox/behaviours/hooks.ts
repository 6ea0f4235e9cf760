import { randomUUID } from 'node:crypto';
import { behaviours, type Context } from '../behaviour.ts';
import { type Header, type Hook, isPattern, isTemplate } from '../hook.ts';
import { type HookEvent, recentEvents, send, tellHooks } from '../hook-events.ts';
import { Refusal } from '../refusal.ts';

const strategies = 'branch_filter_strategy';

function meant(ctx: Context): Hook {
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

function check(ctx: Context, url: string, headers: readonly Header[]): void {
  const errors: Record<string, string[]> = {};
  const filter = ctx.params.text('push_events_branch_filter') ?? '';
  const isRegex = ctx.params.text(strategies) === 'regex';
  if (!isAddress(url)) errors['url'] = ['is blocked: Only allowed schemes are http, https'];
  if (filter.length > 5000) {
    errors['push_events_branch_filter'] = ['is too long (maximum is 5000 characters)'];
  } else if (isRegex && !isPattern(filter)) errors['push_events_branch_filter'] = ['must be a valid regex'];
  if (!isTemplate(ctx.params.text('custom_webhook_template') ?? '')) {
    errors['custom_webhook_template'] = [
      'must be a valid template: {{ and }} stand around the name of a field',
    ];
  }
  if (!headers.every(isHeader)) errors['custom_headers'] = ['must be a valid name and value of a header'];
  if (Object.keys(errors).length > 0) throw ctx.bad(errors);
}

/** All subscriptions of section 6 that the call takes; pushes alone are on by default. */
function flags(ctx: Context): Record<string, boolean> {
  const names = Object.keys(ctx.endpoint.takes).filter((name) => name.endsWith('_events'));
  return Object.fromEntries(names.map((name) => [name, ctx.params.bool(name) ?? name === 'push_events']));
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

function limitResends(ctx: Context, hook: Hook): void {
  const made = ctx.keep('hook-resends', () => new Map<string, number[]>());
  const key = `${hook.id} ${ctx.caller().id}`;
  const recent = (made.get(key) ?? []).filter((time) => time > ctx.now() - minute);
  if (recent.length >= limit) {
    const wait = Math.ceil(((recent[0] as number) + minute - ctx.now()) / 1000);
    const message = { error: 'This endpoint has been requested too many times. Try again later.' };
    throw new Refusal(429, { message }, { 'retry-after': String(Math.max(1, wait)) });
  }
  made.set(key, [...recent, ctx.now()]);
}

export const hooks = behaviours(
  'hooks',
  {
    list: (ctx) => ctx.list(ctx.table<Hook>('hooks').filter((hook) => hook.group_id === ctx.group.id)),

    get: (ctx) => ctx.one(meant(ctx)),

    create: (ctx) => {
      const url = (ctx.params.text('url') as string).trim();
      const headers = (ctx.params.rows('custom_headers') ?? []).map(
        ({ key, value }): Header => ({
          key: String(key),
          value: String(value ?? ''),
        }),
      );
      check(ctx, url, headers);
      const text = (name: string) => ctx.params.text(name) ?? '';
      const row = ctx.table<Hook>('hooks').insert({
        ...flags(ctx),
        group_id: ctx.group.id,
        uuid: randomUUID(),
        url,
        name: text('name'),
        description: text('description'),
        created_at: ctx.time(),
        alert_status: 'executable',
        disabled_until: null,
        push_events_branch_filter: text('push_events_branch_filter'),
        branch_filter_strategy: ctx.params.text(strategies) ?? 'wildcard',
        enable_ssl_verification: ctx.params.bool('enable_ssl_verification') ?? true,
        custom_webhook_template: text('custom_webhook_template'),
        custom_headers: headers,
        url_variables: [],
        token: ctx.params.text('token') || null,
      } as Omit<Hook, 'id'>);
      return ctx.one(row);
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
  { listen: tellHooks },
);
