/** Epics of a group (section 4.20). */

import { isRecord } from '../../../support/record.ts';
import { epicChange, workItem } from '../../../webhooks/payloads.ts';
import { ancestry, descendantGroups, isVisible } from '../../core/access.ts';
import { type Collection, collection, type Filter, findRow, given, testsOf } from '../../core/collection.ts';
import { type AreaHandlers, type Context, list } from '../../core/context.ts';
import { badRequest, forbidden } from '../../core/http-error.ts';
import { removeWhere } from '../../core/lookup.ts';
import type { User } from '../../core/rows.ts';
import { iso } from '../../core/time.ts';
import { cannotBeBlank, invalidColor, rejectInvalid, tooLong } from '../../core/validation.ts';
import {
  ancestors,
  canEdit,
  canSee,
  type Epic,
  type EpicIssue,
  editorFields,
  epicDefaults,
  groupOf,
  issuesOf,
  issueView,
  type Label,
  labelDefaults,
  view,
} from './epic.ts';

type Test = (epic: Epic) => boolean;

const splitNames = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** `None` matches epics without labels, `Any` those with at least one. */
function labelTest(text: string, how: 'every' | 'some'): Test {
  const wanted = splitNames(text);
  const keyword = wanted.length === 1 ? wanted[0]?.toLowerCase() : undefined;
  if (keyword === 'none') return ({ labels }) => labels.length === 0;
  if (keyword === 'any') return ({ labels }) => labels.length > 0;
  return ({ labels }) => wanted[how]((name) => labels.includes(name));
}

const authors: Readonly<Record<string, Filter<Epic>>> = {
  author_id: (value) => (epic) => epic.author_id === value,
  author_username: (value, ctx) => (epic) =>
    ctx.table<User>('users').get(epic.author_id)?.username.toLowerCase() === String(value).toLowerCase(),
};

const filters: Readonly<Record<string, Filter<Epic>>> = {
  ...authors,
  state: (value) => (epic) => value === 'all' || epic.state === value,
  labels: (value) => (value === '' ? () => true : labelTest(String(value), 'every')),
  // Every word is in the title or the description.
  search: (value) => {
    const words = String(value).toLowerCase().split(/\s+/);
    return ({ title, description }) => {
      const content = `${title}\n${description}`.toLowerCase();
      return words.every((word) => content.includes(word));
    };
  },
  my_reaction_emoji: (value, ctx) => {
    const { id } = ctx.requireUser();
    const mine = ({ reactions }: Epic) => reactions.filter((reaction) => reaction.user_id === id);
    const wanted = String(value);
    if (/^none$/i.test(wanted)) return (epic) => mine(epic).length === 0;
    return (epic) => mine(epic).some(({ name }) => /^any$/i.test(wanted) || name === wanted);
  },
  // An epic that passes any of these is left out.
  not: (value, ctx) => {
    const unwanted = { ...authors, labels: (names: unknown) => labelTest(String(names), 'some') };
    const tests = testsOf(unwanted, isRecord(value) ? value : {}, ctx);
    return (epic) => !tests.some((test) => test(epic));
  },
};

/** Return the groups whose epics a list shows: the group, those below it and, if requested, those above it. */
function groupIds(ctx: Context): number[] {
  const below = ctx.params.bool('include_descendant_groups') ?? true;
  const above = ctx.params.bool('include_ancestor_groups') ?? false;
  const groups = [
    ...(below ? descendantGroups(ctx.store, ctx.group) : [ctx.group]),
    ...(above ? ancestry(ctx.store, ctx.group.parent_id) : []),
  ];
  return groups.map(({ id }) => id).filter((id) => isVisible(ctx, 'group', id));
}

function labelsAfter(ctx: Context, before: readonly string[]): string[] {
  const { params } = ctx;
  const names = (name: string) => splitNames(params.text(name) ?? '');
  const all = new Set([...(params.has('labels') ? names('labels') : before), ...names('add_labels')]);
  for (const name of names('remove_labels')) all.delete(name);
  const table = ctx.table<Label>('labels');
  for (const name of all) {
    if (!table.find((row) => row.group_id === ctx.group.id && row.name === name))
      table.insert({ ...labelDefaults, group_id: ctx.group.id, name });
  }
  return [...all];
}

function checkParent(ctx: Context, id: number, epic: Epic | undefined): void {
  const parent = ctx.table<Epic>('epics').get(id);
  const invalid = (message: string) => badRequest({ parent_id: [message] });
  if (!parent || !canSee(ctx, parent) || !isVisible(ctx, 'group', parent.group_id))
    throw invalid('does not exist');
  const line = [...ancestry(ctx.store, ctx.group.id), ...descendantGroups(ctx.store, ctx.group)];
  if (!line.includes(groupOf(ctx, parent))) throw invalid('belongs to an unrelated group');
  if (epic && ancestors(ctx, parent).includes(epic))
    throw invalid('is the epic itself or one of its descendants');
}

function check(ctx: Context, epic: Epic | undefined): void {
  const { params } = ctx;
  const color = params.text('color');
  const title = params.has('title') ? (params.text('title')?.trim() ?? '') : undefined;
  rejectInvalid({
    title: (title === '' && cannotBeBlank) || ((title?.length ?? 0) > 255 && tooLong(255)),
    color: Boolean(color && !/^#[0-9a-f]{6}$/i.test(color)) && invalidColor,
  });
  const moment = ['created_at', 'updated_at'].find((name) => params.has(name));
  if (moment && !ctx.hasRole('owner'))
    throw forbidden(`Only owners of the group and administrators can set ${moment}`);
  const parent = params.number('parent_id');
  if (parent !== undefined) checkParent(ctx, parent, epic);
}

function stateChange(ctx: Context, epic: Epic | undefined): Partial<Epic> {
  const event = ctx.params.text('state_event');
  if (event === 'close' && epic?.state === 'opened') return { state: 'closed', closed_at: ctx.time() };
  return event === 'reopen' ? { state: 'opened', closed_at: null } : {};
}

function changes(ctx: Context, epic: Epic | undefined): Partial<Epic> {
  check(ctx, epic);
  const { params } = ctx;
  const title = params.text('title');
  return {
    ...given<Epic>(ctx, epicDefaults, Object.keys(epicDefaults)),
    ...(title === undefined ? {} : { title: title.trim() }),
    color: params.text('color') || (epic?.color ?? epicDefaults.color),
    ...stateChange(ctx, epic),
    labels: labelsAfter(ctx, epic?.labels ?? []),
    ...(params.has('created_at') || !epic ? { created_at: iso(params.time('created_at') ?? ctx.now()) } : {}),
    updated_at: iso(params.time('updated_at') ?? params.time('created_at') ?? ctx.now()),
  };
}

const epicsOfGroup: Collection<Epic> = {
  table: 'epics',
  visible: canSee,
  view,
  shows: (ctx, epic, field) => !editorFields.includes(field) || canEdit(ctx, epic),
  permit: (ctx, epic) => {
    if (!canEdit(ctx, epic)) throw forbidden();
  },
  defaults: (ctx) => {
    const iids = ctx
      .table<Epic>('epics')
      .where('group_id', ctx.group.id)
      .map(({ iid }) => iid);
    return { ...epicDefaults, iid: Math.max(0, ...iids) + 1, author_id: ctx.requireUser().id };
  },
  changes,
  after: (ctx, action, epic, before) => {
    if (action !== 'delete') {
      ctx.emit({
        kind: epic.confidential ? 'confidential_issues_events' : 'issues_events',
        group_id: epic.group_id,
        user_id: ctx.requireUser().id,
        payload: (subject) => workItem(subject, epic, epicChange(before, epic)),
      });
      return;
    }
    removeWhere(ctx.table<EpicIssue>('epic_issues'), ({ epic_id }) => epic_id === epic.id);
    const table = ctx.table<Epic>('epics');
    for (const child of table.where('parent_id', epic.id)) table.update(child, { parent_id: null });
  },
};

const all: Collection<Epic> = {
  ...epicsOfGroup,
  rows: (ctx) => {
    const groups = groupIds(ctx);
    return ctx.table<Epic>('epics').filter(({ group_id }) => groups.includes(group_id));
  },
  filters,
};

export const epics: AreaHandlers = {
  area: 'epics',
  collection: collection(epicsOfGroup),
  handlers: {
    list: collection(all),
    create: collection({ ...epicsOfGroup, role: 'reporter' }),
    issues: (ctx) => list(ctx, issuesOf(ctx, findRow(ctx, epicsOfGroup)), { view: issueView }),
  },
};
