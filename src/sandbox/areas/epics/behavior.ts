/** Epics of a group (section 4.20). */
import { ancestry } from '../../core/access.ts';
import { behaviors, type RequestContext } from '../../core/behavior.ts';
import { defined, orNotFound, removeWhere } from '../../core/lookup.ts';
import { reshape } from '../../core/reshape.ts';
import { iso } from '../../core/time.ts';
import { cannotBeBlank, invalidColor, type Messages, rejectInvalid, tooLong } from '../../core/validation.ts';
import { descendantGroups, isVisible } from '../../core/visibility.ts';
import { epicEvent } from '../hooks/group-events.ts';
import {
  ancestors,
  canEdit,
  canSee,
  depth,
  type Epic,
  epicDefaults,
  groupOf,
  type Label,
  labelDefaults,
  maxDepth,
  view,
  withoutEditorFields,
} from './epic.ts';
import { matches, sorted, splitNames } from './filter.ts';
import { type EpicIssue, issuesOf, issueView } from './issues.ts';

const table = (ctx: RequestContext) => ctx.table<Epic>('epics');

function findEpic(ctx: RequestContext): Epic {
  const iid = defined(ctx.slots.text('epic_iid'));
  const epic = table(ctx).find((row) => row.group_id === ctx.group.id && String(row.iid) === iid);
  return orNotFound(epic && canSee(ctx, epic) ? epic : undefined, 'Epic');
}

/** Return the groups whose epics a list shows: the group, those below it and, if requested, those above it. */
function groupIds(ctx: RequestContext): number[] {
  const below = ctx.params.bool('include_descendant_groups') ?? true;
  const above = ctx.params.bool('include_ancestor_groups') ?? false;
  const groups = [
    ...(below ? descendantGroups(ctx.store, ctx.group) : [ctx.group]),
    ...(above ? ancestry(ctx.store, ctx.group.parent_id) : []),
  ];
  return groups.map(({ id }) => id).filter((id) => isVisible(ctx, 'group', id));
}

const uniqueNames = (text: string | undefined): string[] => [...new Set(splitNames(text ?? ''))];

/** Create labels that do not exist yet. */
function createLabels(ctx: RequestContext, labels: readonly string[]): void {
  const known = ctx.table<Label>('labels');
  for (const name of labels) {
    if (known.find((row) => row.group_id === ctx.group.id && row.name === name)) continue;
    known.insert({ ...labelDefaults, group_id: ctx.group.id, name });
  }
}

function labelsAfter(ctx: RequestContext, before: readonly string[]): string[] {
  const { params } = ctx;
  const start = params.has('labels') ? uniqueNames(params.text('labels')) : before;
  const removed = uniqueNames(params.text('remove_labels'));
  return [...new Set([...start, ...uniqueNames(params.text('add_labels'))])].filter(
    (name) => !removed.includes(name),
  );
}

/** @throws HttpError 400 if the epic cannot have this parent */
function checkParent(ctx: RequestContext, id: number, epic: Epic | undefined): void {
  const parent = table(ctx).get(id);
  const invalid = (message: string) => ctx.badRequest({ parent_id: [message] });
  if (!parent || !canSee(ctx, parent) || !isVisible(ctx, 'group', parent.group_id))
    throw invalid('does not exist');
  const line = [...ancestry(ctx.store, ctx.group.id), ...descendantGroups(ctx.store, ctx.group)];
  if (!line.includes(groupOf(ctx, parent))) throw invalid('belongs to an unrelated group');
  const above = ancestors(ctx, parent);
  if (epic && above.includes(epic)) throw invalid('is the epic itself or one of its descendants');
  if (above.length + (epic ? depth(ctx, epic) : 1) > maxDepth)
    throw invalid(`exceeds the maximum depth of ${maxDepth} levels`);
}

function check(ctx: RequestContext, epic: Epic | undefined): void {
  const { params } = ctx;
  const errors: Messages = {};
  if (params.has('title')) {
    const title = params.text('title')?.trim() ?? '';
    if (title === '') errors['title'] = cannotBeBlank;
    if (title.length > 255) errors['title'] = tooLong(255);
  }
  const color = params.text('color');
  if (color && !/^#[0-9a-f]{6}$/i.test(color)) errors['color'] = invalidColor;
  rejectInvalid(errors);
  const moment = ['created_at', 'updated_at'].find((name) => params.has(name));
  if (moment && !ctx.hasRole('owner'))
    throw ctx.forbidden(`Only owners of the group and administrators can set ${moment}`);
  const parent = params.number('parent_id');
  if (parent !== undefined) checkParent(ctx, parent, epic);
}

/** Return the attributes that a request sets, on creation and on update. Null clears an attribute. */
function changesFrom(ctx: RequestContext): Partial<Epic> {
  const { params } = ctx;
  const color = params.text('color');
  const flags = ['confidential', 'start_date_is_fixed', 'due_date_is_fixed'] as const;
  const days = ['start_date_fixed', 'due_date_fixed'] as const;
  const given = <N extends string>(all: readonly N[]) => all.filter((name) => params.has(name));
  return {
    ...Object.fromEntries(given(flags).map((name) => [name, params.bool(name) ?? false])),
    ...Object.fromEntries(given(days).map((name) => [name, params.text(name) ?? null])),
    ...(params.has('title') ? { title: params.text('title')?.trim() ?? '' } : {}),
    ...(params.has('description') ? { description: params.text('description') ?? '' } : {}),
    ...(params.has('parent_id') ? { parent_id: params.number('parent_id') ?? null } : {}),
    ...(color ? { color } : {}),
  };
}

const respond = (ctx: RequestContext, epic: Epic): Promise<Response> =>
  reshape(ctx.one(view(ctx, epic)), (row) => withoutEditorFields(ctx, row));

function stateChange(ctx: RequestContext, epic: Epic): Partial<Epic> {
  const event = ctx.params.text('state_event');
  if (event === 'close' && epic.state === 'opened') return { state: 'closed', closed_at: ctx.time() };
  return event === 'reopen' ? { state: 'opened', closed_at: null } : {};
}

export const epics = behaviors('epics', {
  list: async (ctx) => {
    const groups = groupIds(ctx);
    const rows = table(ctx)
      .filter((epic) => groups.includes(epic.group_id) && canSee(ctx, epic))
      .filter(matches(ctx));
    const details = ctx.params.bool('with_labels_details') ?? false;
    const response = await ctx.list(sorted(ctx, rows), { view: (epic) => view(ctx, epic, details) });
    return reshape(response, (row) => withoutEditorFields(ctx, row));
  },

  get: (ctx) => respond(ctx, findEpic(ctx)),

  create: (ctx) => {
    ctx.requireRole('reporter');
    check(ctx, undefined);
    const labels = labelsAfter(ctx, []);
    createLabels(ctx, labels);
    const iids = table(ctx)
      .filter((row) => row.group_id === ctx.group.id)
      .map(({ iid }) => iid);
    const created = iso(ctx.params.time('created_at') ?? ctx.now());
    const epic = table(ctx).insert({
      ...epicDefaults,
      iid: Math.max(0, ...iids) + 1,
      group_id: ctx.group.id,
      author_id: ctx.requireUser().id,
      labels,
      created_at: created,
      updated_at: created,
      ...changesFrom(ctx),
    });
    ctx.emit(epicEvent(ctx, undefined, epic));
    return respond(ctx, epic);
  },

  update: (ctx) => {
    const epic = findEpic(ctx);
    if (!canEdit(ctx, epic)) throw ctx.forbidden();
    check(ctx, epic);
    const before = { ...epic };
    const labels = labelsAfter(ctx, epic.labels);
    createLabels(ctx, labels);
    table(ctx).update(epic, {
      ...changesFrom(ctx),
      ...stateChange(ctx, epic),
      labels,
      updated_at: iso(ctx.params.time('updated_at') ?? ctx.now()),
    });
    ctx.emit(epicEvent(ctx, before, epic));
    return respond(ctx, epic);
  },

  delete: (ctx) => {
    const epic = findEpic(ctx);
    ctx.remove('epics', epic);
    removeWhere(ctx.table<EpicIssue>('epic_issues'), ({ epic_id }) => epic_id === epic.id);
    for (const child of table(ctx).filter(({ parent_id }) => parent_id === epic.id))
      table(ctx).update(child, { parent_id: null });
    return ctx.noContent();
  },

  issues: (ctx) => {
    const epic = findEpic(ctx);
    return ctx.list(issuesOf(ctx, epic), { view: (link) => issueView(ctx, link) });
  },
});
