/** Requests that succeed in a new sandbox, for each endpoint that reads or deletes. */

import { type Call, calls } from '../support/catalogue.ts';
import { seededShas } from '../support/seeded-shas.ts';
import type { RequestOptions } from './ask.ts';

const slots: Readonly<Record<string, string>> = {
  approval_rule_id: '31',
  badge_id: '81',
  branch: 'feature%2Fsearch',
  entity_id: '221',
  epic_iid: '1',
  file_path: 'README.md',
  filename: 'rocket.png',
  hook_event_id: '401',
  job_id: '5245',
  hook_id: '301',
  key: 'DEPLOY_USER',
  key_id: '501',
  merge_request_iid: '7',
  name: 'main',
  path: 'report/summary.txt',
  pipeline_id: '1012',
  ref: 'main',
  secret: '0123456789abcdef0123456789abcdef',
  slug: 'home',
  snippet_id: '51',
  upload_id: '71',
};

/** Values of `:id` outside projects and groups, by the first segment of the path. */
const ids: Readonly<Record<string, string>> = {
  broadcast_messages: '61',
  bulk_imports: '22',
  dependency_list_exports: '95',
  license: '1',
  pipelines: '1012',
  users: '2',
};

const special: Readonly<Record<string, string>> = {
  'GET /groups/:id/badges/:badge_id': '/groups/10/badges/91',
  'DELETE /groups/:id/badges/:badge_id': '/groups/10/badges/91',
  'GET /projects/:id/snippets/:snippet_id/files/:ref/:file_path/raw':
    '/projects/100/snippets/51/files/main/hello.sh/raw',
  'POST /projects/:id/repository/files/:file_path': '/projects/100/repository/files/new.txt',
  'PUT /groups/:id/approval_rules/:approval_rule_id': '/groups/10/approval_rules/41',
  'PUT /groups/:id/badges/:badge_id': '/groups/10/badges/91',
  'POST /bulk_imports/:id/cancel': '/bulk_imports/23/cancel',
  'POST /projects/:id/jobs/:job_id/cancel': '/projects/100/jobs/5280/cancel',
  'POST /projects/:id/jobs/:job_id/play': '/projects/100/jobs/5262/play',
};

const rendering = 'link_url=https://a.example&image_url=https://a.example/b.svg';

const queries: readonly (readonly [test: RegExp, query: string])[] = [
  [/^(GET|HEAD) .*:file_path(\/blame|\/raw)?$/, 'ref=main'],
  [/^DELETE .*:file_path$/, 'branch=feature/search&commit_message=x'],
  [/\/badges\/render$/, rendering],
  [/^DELETE .*\/context_commits$/, `commits[]=${seededShas['main~3']}`],
];

export interface SeededCall extends Call {
  /** `GET /projects/100/jobs` */
  readonly request: string;
  readonly how: RequestOptions;
}

function pathOf({ route, endpoint }: Call): string {
  // A project has another webhook than its group.
  const own = route.includes('/projects/:id/hooks') && { hook_id: '300', hook_event_id: '400' };
  const known = special[route];
  if (known) return known;
  const path = endpoint.path
    .replace(/^\/projects\/:id/, '/projects/100')
    .replace(/^\/groups\/:id/, '/groups/10');
  const id = ids[path.split('/')[1] as string];
  return path.replace(/:(\w+)/g, (_, slot: string) => {
    const value = slot === 'id' ? id : ({ ...slots, ...own } as typeof slots)[slot];
    if (value === undefined) throw new Error(`seeded-calls.ts has no value for :${slot} of ${route}`);
    return value;
  });
}

/** Return a request for seeded data for each endpoint with these methods. */
export function seededCalls(...methods: readonly string[]): SeededCall[] {
  return calls
    .filter(({ endpoint }) => methods.includes(endpoint.method))
    .map((call) => {
      const query = queries.find(([test]) => test.test(call.route))?.[1];
      const request = `${call.endpoint.method} ${pathOf(call)}${query ? `?${query}` : ''}`;
      const isJob = call.endpoint.access.jobToken === 'only';
      return { ...call, request, how: isJob ? { as: 'none', headers: { 'job-token': 'sandbox-job' } } : {} };
    });
}
