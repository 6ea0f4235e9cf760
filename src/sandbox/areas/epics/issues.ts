/** Issues of projects and their links to epics (section 4.20). */
import { hasRoleIn, isVisible } from '../../core/access.ts';
import type { Context } from '../../core/context.ts';
import { defined } from '../../core/lookup.ts';
import type { Project, Row, User } from '../../core/rows.ts';
import { userSummary } from '../../core/summary.ts';

/** Attributes that epics and issues share. */
export interface WorkItem extends Row {
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

export interface Issue extends WorkItem {
  project_id: number;
  due_date: string | null;
}

/** Assigns an issue to an epic. */
export interface EpicIssue extends Row {
  epic_id: number;
  issue_id: number;
  relative_position: number;
}

const issueOf = (ctx: Context, { issue_id }: EpicIssue) => defined(ctx.table<Issue>('issues').get(issue_id));
const projectOf = (ctx: Context, { project_id }: Issue) =>
  defined(ctx.table<Project>('projects').get(project_id));

function canSee(ctx: Context, issue: Issue): boolean {
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
    .filter((link) => link.epic_id === epic.id && canSee(ctx, issueOf(ctx, link)))
    .sort((a, b) => a.relative_position - b.relative_position);
}

export function issueView(ctx: Context, link: EpicIssue): object {
  const issue = issueOf(ctx, link);
  const project = projectOf(ctx, issue);
  const author = ctx.table<User>('users').get(issue.author_id);
  const short = `#${issue.iid}`;
  const full = `${project.path_with_namespace}${short}`;
  const relative = project.group_id === ctx.group.id ? `${project.path}${short}` : full;
  return {
    ...issue,
    ...(author ? { author: userSummary(author, ctx.origin) } : {}),
    web_url: `/${project.path_with_namespace}/-/issues/${issue.iid}`,
    references: { short, relative, full },
    epic_issue_id: link.id,
    relative_position: link.relative_position,
  };
}
