/** Rows of epics and their issues, their inherited dates, and their views (sections 2.19, 4.20). */
import { hasRoleIn, isVisible } from '../../core/access.ts';
import type { Context } from '../../core/context.ts';
import { defined } from '../../core/lookup.ts';
import type { Group, Project, Row } from '../../core/rows.ts';
import { authorOf } from '../../core/summary.ts';
import type { World } from '../../core/world.ts';

interface WorkItem extends Row {
  iid: number;
  title: string;
  description: string;
  state: 'opened' | 'closed';
  confidential: boolean;
  author_id: number;
  labels: readonly string[];
  created_at: string;
  updated_at: string;
  closed_at: string | null;
}

export interface Epic extends WorkItem {
  group_id: number;
  parent_id: number | null;
  start_date_is_fixed: boolean;
  start_date_fixed: string | null;
  due_date_is_fixed: boolean;
  due_date_fixed: string | null;
  color: string;
  reactions: readonly { readonly user_id: number; readonly name: string }[];
}

export const epicDefaults = {
  parent_id: null,
  title: '',
  description: '',
  state: 'opened',
  confidential: false,
  start_date_is_fixed: false,
  start_date_fixed: null,
  due_date_is_fixed: false,
  due_date_fixed: null,
  color: '#1068bf',
  reactions: [],
  closed_at: null,
} as const satisfies Partial<Epic>;

export interface Label extends Row {
  group_id: number;
  name: string;
  color: string;
  description: string | null;
}

export const labelDefaults = { color: '#6699cc', description: null } as const satisfies Partial<Label>;

const epicsOf = (world: World) => world.table<Epic>('epics');
export const groupOf = (world: World, { group_id }: Epic): Group =>
  defined(world.table<Group>('groups').get(group_id));

/** Whether the caller can change the epics of a group. Only these callers see confidential ones. */
export const canEdit = (ctx: Context, epic: Epic): boolean => hasRoleIn(ctx, groupOf(ctx, epic), 'reporter');
export const canSee = (ctx: Context, epic: Epic): boolean => !epic.confidential || canEdit(ctx, epic);

type Side = 'start' | 'due';

/** Return the earliest start date, or the latest due date, of the child epics. */
function inherited(world: World, epic: Epic, side: Side): string | null {
  const days = epicsOf(world)
    .where('parent_id', epic.id)
    .map((child) => dayOf(world, child, side))
    .filter((day) => day !== null)
    .sort();
  return (side === 'start' ? days[0] : days.at(-1)) ?? null;
}

function dayOf(world: World, epic: Epic, side: Side): string | null {
  return epic[`${side}_date_is_fixed`] ? epic[`${side}_date_fixed`] : inherited(world, epic, side);
}

export function ancestors(world: World, epic: Epic): Epic[] {
  const parent = epicsOf(world).get(epic.parent_id);
  return [epic, ...(parent ? ancestors(world, parent) : [])];
}

/** Fields that are shown only to callers who can change the epic. */
export const editorFields: readonly string[] = (['start', 'due'] as const).flatMap((side) => [
  `${side}_date_is_fixed`,
  `${side}_date_fixed`,
  `${side}_date_from_inherited_source`,
  `${side}_date_from_milestones`,
]);

function labelOf(world: World, epic: Epic, name: string): object {
  const label = world
    .table<Label>('labels')
    .find((row) => row.name === name && row.group_id === epic.group_id);
  const { id, color, description } = label ?? { id: 0, ...labelDefaults };
  return { id, name, description, description_html: description ?? '', text_color: '#FFFFFF', color };
}

const countReactions = (epic: Epic, name: string): number =>
  epic.reactions.filter((row) => row.name === name).length;

function linksOf(epic: Epic, parent: Epic | undefined, origin: string): object {
  const urlOf = ({ group_id, iid }: Epic) => `${origin}/api/v4/groups/${group_id}/epics/${iid}`;
  return {
    self: urlOf(epic),
    epic_issues: `${urlOf(epic)}/issues`,
    group: `${origin}/api/v4/groups/${epic.group_id}`,
    parent: parent ? urlOf(parent) : null,
  };
}

export function view(ctx: Context, epic: Epic): object {
  const group = groupOf(ctx, epic);
  const parent = epicsOf(ctx).get(epic.parent_id);
  const short = `&${epic.iid}`;
  const full = `${group.full_path}${short}`;
  const due = dayOf(ctx, epic, 'due');
  return {
    ...epic,
    parent_iid: parent?.iid ?? null,
    labels: ctx.params.bool('with_labels_details')
      ? epic.labels.map((name) => labelOf(ctx, epic, name))
      : epic.labels,
    ...authorOf(ctx, epic),
    start_date: dayOf(ctx, epic, 'start'),
    start_date_from_inherited_source: inherited(ctx, epic, 'start'),
    start_date_from_milestones: inherited(ctx, epic, 'start'),
    due_date: due,
    end_date: due,
    due_date_from_inherited_source: inherited(ctx, epic, 'due'),
    due_date_from_milestones: inherited(ctx, epic, 'due'),
    upvotes: countReactions(epic, 'thumbsup'),
    downvotes: countReactions(epic, 'thumbsdown'),
    subscribed: epic.author_id === ctx.user?.id,
    imported: false,
    imported_from: 'none',
    web_url: `${ctx.origin}/groups/${group.full_path}/-/epics/${epic.iid}`,
    reference: short,
    references: { short, relative: group.id === ctx.group.id ? short : full, full },
    _links: linksOf(epic, parent, ctx.origin),
  };
}

export interface Issue extends WorkItem {
  project_id: number;
  due_date: string | null;
}

export interface EpicIssue extends Row {
  epic_id: number;
  issue_id: number;
  relative_position: number;
}

const issueOf = (ctx: Context, { issue_id }: EpicIssue) => defined(ctx.table<Issue>('issues').get(issue_id));
const projectOf = (ctx: Context, { project_id }: Issue) =>
  defined(ctx.table<Project>('projects').get(project_id));

function canSeeIssue(ctx: Context, issue: Issue): boolean {
  if (!isVisible(ctx, 'project', issue.project_id)) return false;
  return (
    !issue.confidential ||
    issue.author_id === ctx.user?.id ||
    hasRoleIn(ctx, projectOf(ctx, issue), 'reporter')
  );
}

/** Return the issues of an epic that the caller can see, in the order of the epic. */
export function issuesOf(ctx: Context, epic: Row): EpicIssue[] {
  return ctx
    .table<EpicIssue>('epic_issues')
    .filter((link) => link.epic_id === epic.id && canSeeIssue(ctx, issueOf(ctx, link)))
    .sort((a, b) => a.relative_position - b.relative_position);
}

export function issueView(ctx: Context, link: EpicIssue): object {
  const issue = issueOf(ctx, link);
  const project = projectOf(ctx, issue);
  const short = `#${issue.iid}`;
  const full = `${project.path_with_namespace}${short}`;
  const relative = project.group_id === ctx.group.id ? `${project.path}${short}` : full;
  return {
    ...issue,
    ...authorOf(ctx, issue),
    web_url: `/${project.path_with_namespace}/-/issues/${issue.iid}`,
    references: { short, relative, full },
    epic_issue_id: link.id,
    relative_position: link.relative_position,
  };
}
