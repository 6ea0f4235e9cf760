import { ancestry } from '../../core/access.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { reshape } from '../../core/reshape.ts';
import { descendantGroups, isVisible } from '../../core/visibility.ts';
import { epicEvent } from '../hooks/group-events.ts';
import {
  ancestors,
  blank,
  depth,
  type Epic,
  forCaller,
  groupOf,
  type Label,
  mayEdit,
  maySee,
  plain,
  view,
} from './epic.ts';
import { matches, named, sorted } from './filter.ts';
import { type EpicIssue, issuesOf, issueView } from './issues.ts';

const table = (ctx: RequestContext) => ctx.table<Epic>('epics');

function meant(ctx: RequestContext): Epic {
  const iid = ctx.slots.text('epic_iid') as string;
  const epic = table(ctx).find((row) => row.group_id === ctx.group.id && String(row.iid) === iid);
  if (!epic || !maySee(ctx, epic)) throw ctx.notFound('Epic');
  return epic;
}

/** The groups whose epics a list shows: its own, those below it, and those above it if asked for. */
function groupIds(ctx: RequestContext): number[] {
  const below = ctx.params.bool('include_descendant_groups') ?? true;
  const above = ctx.params.bool('include_ancestor_groups') ?? false;
  const groups = [
    ...(below ? descendantGroups(ctx.store, ctx.group) : [ctx.group]),
    ...(above ? ancestry(ctx.store, ctx.group.parent_id) : []),
  ];
  return groups.map(({ id }) => id).filter((id) => isVisible(ctx, 'group', id));
}

const names = (text: string | undefined): string[] => [...new Set(named(text ?? ''))];

/** Labels come to be when they are first put on. */
function makeLabels(ctx: RequestContext, labels: readonly string[]): void {
  const known = ctx.table<Label>('labels');
  for (const name of labels) {
    if (known.find((row) => row.group_id === ctx.group.id && row.name === name)) continue;
    known.insert({ ...plain, group_id: ctx.group.id, name });
  }
}

function labelsAfter(ctx: RequestContext, before: readonly string[]): string[] {
  const { params } = ctx;
  const start = params.has('labels') ? names(params.text('labels')) : before;
  const gone = names(params.text('remove_labels'));
  return [...new Set([...start, ...names(params.text('add_labels'))])].filter((name) => !gone.includes(name));
}

/** How deep epics may stand. */
const deepest = 7;

function refuseParent(ctx: RequestContext, id: number, epic: Epic | undefined): void {
  const parent = table(ctx).get(id);
  const refuse = (why: string) => ctx.badRequest({ parent_id: [why] });
  if (!parent || !maySee(ctx, parent) || !isVisible(ctx, 'group', parent.group_id))
    throw refuse('does not exist');
  const line = [...ancestry(ctx.store, ctx.group.id), ...descendantGroups(ctx.store, ctx.group)];
  if (!line.includes(groupOf(ctx, parent))) throw refuse('is in a group that is neither above nor below');
  const above = ancestors(ctx, parent);
  if (epic && above.includes(epic)) throw refuse('is the epic itself, or stands below it');
  if (above.length + (epic ? depth(ctx, epic) : 1) > deepest) throw refuse('stands too deep');
}

function check(ctx: RequestContext, epic: Epic | undefined): void {
  const { params } = ctx;
  const errors: Record<string, string[]> = {};
  if (params.has('title')) {
    const title = params.text('title')?.trim() ?? '';
    if (title === '') errors['title'] = ["can't be blank"];
    if (title.length > 255) errors['title'] = ['is too long (maximum is 255 characters)'];
  }
  const color = params.text('color');
  if (color && !/^#[0-9a-f]{6}$/i.test(color)) errors['color'] = ['must be a valid color code'];
  if (Object.keys(errors).length > 0) throw ctx.badRequest(errors);
  const moment = ['created_at', 'updated_at'].find((name) => params.has(name));
  if (moment && !ctx.hasRole('owner'))
    throw ctx.forbidden(`${moment} is for owners of the group and administrators`);
  const parent = params.number('parent_id');
  if (parent !== undefined) refuseParent(ctx, parent, epic);
}

/** What the parameters of create and update have in common. A null clears. */
function content(ctx: RequestContext): Partial<Epic> {
  const { params } = ctx;
  const flags = ['confidential', 'start_date_is_fixed', 'due_date_is_fixed'] as const;
  const days = ['start_date_fixed', 'due_date_fixed'] as const;
  const given = <N extends string>(all: readonly N[]) => all.filter((name) => params.has(name));
  return {
    ...Object.fromEntries(given(flags).map((name) => [name, params.bool(name) ?? false])),
    ...Object.fromEntries(given(days).map((name) => [name, params.text(name) ?? null])),
    ...(params.has('title') ? { title: params.text('title')?.trim() as string } : {}),
    ...(params.has('description') ? { description: params.text('description') ?? '' } : {}),
    ...(params.has('parent_id') ? { parent_id: params.number('parent_id') ?? null } : {}),
    ...(params.text('color') ? { color: params.text('color') as string } : {}),
  };
}

const iso = (ms: number): string => new Date(ms).toISOString();

const shown = (ctx: RequestContext, epic: Epic): Promise<Response> =>
  reshape(ctx.one(view(ctx, epic)), (row) => forCaller(ctx, row));

function stateChange(ctx: RequestContext, epic: Epic): Partial<Epic> {
  const event = ctx.params.text('state_event');
  if (event === 'close' && epic.state === 'opened') return { state: 'closed', closed_at: ctx.time() };
  return event === 'reopen' ? { state: 'opened', closed_at: null } : {};
}

export const epics = behaviors('epics', {
  list: async (ctx) => {
    const groups = groupIds(ctx);
    const rows = table(ctx)
      .filter((epic) => groups.includes(epic.group_id) && maySee(ctx, epic))
      .filter(matches(ctx));
    const details = ctx.params.bool('with_labels_details') ?? false;
    const answer = await ctx.list(sorted(ctx, rows), { view: (epic) => view(ctx, epic, details) });
    return reshape(answer, (row) => forCaller(ctx, row));
  },

  get: (ctx) => shown(ctx, meant(ctx)),

  create: (ctx) => {
    ctx.requireRole('reporter');
    check(ctx, undefined);
    const labels = labelsAfter(ctx, []);
    makeLabels(ctx, labels);
    const iids = table(ctx)
      .filter((row) => row.group_id === ctx.group.id)
      .map(({ iid }) => iid);
    const created = iso(ctx.params.time('created_at') ?? ctx.now());
    const epic = table(ctx).insert({
      ...blank,
      iid: Math.max(0, ...iids) + 1,
      group_id: ctx.group.id,
      author_id: ctx.requireUser().id,
      labels,
      created_at: created,
      updated_at: created,
      ...content(ctx),
    });
    ctx.emit(epicEvent(ctx, undefined, epic));
    return shown(ctx, epic);
  },

  update: (ctx) => {
    const epic = meant(ctx);
    if (!mayEdit(ctx, epic)) throw ctx.forbidden();
    check(ctx, epic);
    const before = { ...epic };
    const labels = labelsAfter(ctx, epic.labels);
    makeLabels(ctx, labels);
    table(ctx).update(epic, {
      ...content(ctx),
      ...stateChange(ctx, epic),
      labels,
      updated_at: iso(ctx.params.time('updated_at') ?? ctx.now()),
    });
    ctx.emit(epicEvent(ctx, before, epic));
    return shown(ctx, epic);
  },

  delete: (ctx) => {
    const epic = meant(ctx);
    ctx.remove('epics', epic);
    const links = ctx.table<EpicIssue>('epic_issues');
    for (const link of links.filter(({ epic_id }) => epic_id === epic.id)) links.remove(link);
    for (const child of table(ctx).filter(({ parent_id }) => parent_id === epic.id))
      table(ctx).update(child, { parent_id: null });
    return ctx.noContent();
  },

  issues: (ctx) => {
    const epic = meant(ctx);
    return ctx.list(issuesOf(ctx, epic), { view: (link) => issueView(ctx, link) });
  },
});
