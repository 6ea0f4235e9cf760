import { describe, expect, test } from 'vitest';
import { words } from '../support/svc.ts';
import { changeRow, ids, linkOf, openTestSandbox, sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const isDescending = (rows: { id: number }[]): boolean =>
  ids(rows).every((id, at, all) => at === 0 || id < (all[at - 1] as number));

/** Attributes of a job (section 2.1). Only jobs with an archive have `artifacts_file`. */
const attributes = words(`
  id name stage ref status failure_reason tag web_url coverage archived allow_failure created_at started_at finished_at
  erased_at artifacts_expire_at duration queued_duration tag_list commit pipeline runner runner_manager project user
  artifacts`);

describe('list', () => {
  test('lists jobs, newest first, with every attribute', async () => {
    const all = [];
    for (let page = 1; page <= 3; page++)
      all.push(...(await ask(`GET /projects/100/jobs?per_page=100&page=${page}`)).body);
    expect(all).toHaveLength(280);
    expect([all[0].id, all.at(-1).id]).toEqual([5280, 5001]);
    expect(isDescending(all)).toBe(true);
    for (const job of all) {
      const names = Object.keys(job).filter((name) => name !== 'artifacts_file');
      expect(names.sort()).toEqual([...attributes].sort());
      expect('artifacts_file' in job).toBe(job.artifacts.length > 0);
    }
    const statuses = new Set(all.map(({ status }) => status));
    expect([...statuses].sort()).toEqual(
      words('canceled created failed manual pending running skipped success waiting_for_resource'),
    );
    const reasons = new Set(all.filter(({ status }) => status === 'failed').map((job) => job.failure_reason));
    expect([...reasons].sort()).toEqual(['script_failure', 'stuck_or_timeout_failure']);
  });

  test.each([
    ['scope=failed', ['failed']],
    ['scope[]=failed&scope[]=running', ['failed', 'running']],
    ['scope%5B%5D=canceled', ['canceled']],
  ])('filters by %s', async (query, wanted) => {
    const { body } = await ask(`GET /projects/100/jobs?per_page=100&${query}`);
    expect([...new Set(body.map((job: { status: string }) => job.status))].sort()).toEqual(wanted);
  });

  test('returns an empty list for a project without jobs', async () => {
    const { body, headers } = await ask('GET /projects/102/jobs');
    expect([body, headers.get('x-total'), linkOf(headers, 'next')]).toEqual([[], '0', undefined]);
  });

  test('returns the commit of the repository', async () => {
    const { sandbox, ask } = await openTestSandbox();
    const repository = await sandbox.world.repository(100);
    const { body } = await ask('GET /projects/100/jobs?per_page=100&page=2');
    for (const { commit } of [body[0], body[30], body[60], body[99]]) {
      const real = await repository.commit(commit.id);
      const { id, short_id, title, author_name, author_email } = commit;
      expect(real).toMatchObject({ id, short_id, title, author_name, author_email });
      expect(Date.parse(commit.created_at)).toBe(Date.parse(real?.created_at ?? ''));
    }
  });
});

describe('keyset (section 8)', () => {
  test('returns each job once by following links', async () => {
    const seen: number[] = [];
    let path = '/projects/100/jobs?pagination=keyset&order_by=id&sort=desc&per_page=90';
    for (let pages = 1; ; pages++) {
      const { body, headers } = await ask(`GET ${path}`);
      seen.push(...ids(body));
      expect(headers.has('x-total') || headers.has('x-page')).toBe(false);
      for (const rel of ['prev', 'first', 'last']) expect(linkOf(headers, rel)).toBeUndefined();
      const next = linkOf(headers, 'next');
      if (!next) {
        expect(pages).toBe(4);
        break;
      }
      expect(next.searchParams.has('cursor') || next.searchParams.has('id_after')).toBe(true);
      path = next.pathname.replace('/api/v4', '') + next.search;
    }
    expect(seen).toEqual(Array.from({ length: 280 }, (_, at) => 5280 - at));
  });

  test('keeps pages stable when a job is created meanwhile', async () => {
    const { sandbox, ask } = await openTestSandbox();
    const first = await ask('GET /projects/100/jobs?pagination=keyset&order_by=id&sort=desc');
    const table = sandbox.world.table('jobs');
    table.insert({ ...table.get(5280), id: 5300 });
    const next = linkOf(first.headers, 'next') as URL;
    const second = await ask(`GET ${next.pathname.replace('/api/v4', '')}${next.search}`);
    expect(second.body[0].id).toBe(first.body.at(-1).id - 1);
  });
});

describe('jobs of a pipeline', () => {
  test('includes jobs of child pipelines and leaves out retried ones', async () => {
    const { body } = await ask('GET /projects/100/pipelines/1012/jobs?per_page=100');
    expect(isDescending(body)).toBe(true);
    const pipelines = new Set(body.map((job: { pipeline: { id: number } }) => job.pipeline.id));
    expect(pipelines).toEqual(new Set([1012, 1013]));
    const all = (await ask('GET /projects/100/pipelines/1012/jobs?per_page=100&include_retried=true')).body;
    const retried = ids(all).filter((id) => !ids(body).includes(id));
    expect(retried).toHaveLength(1);
    const flaky = all.filter(({ name }: { name: string }) => name === 'test:flaky');
    expect(flaky.map(({ status }: { status: string }) => status)).toEqual(['success', 'failed']);
    expect(flaky[1].id).toBe(retried[0]);
  });

  test('returns only its own jobs for a child pipeline', async () => {
    const { body } = await ask('GET /projects/100/pipelines/1013/jobs?scope[]=failed');
    expect(body).toHaveLength(1);
    expect(body[0].failure_reason).toBe('stuck_or_timeout_failure');
  });

  test('returns bridges with their downstream pipeline and without a runner', async () => {
    const { body } = await ask('GET /projects/100/pipelines/1012/bridges');
    expect(body).toHaveLength(1);
    expect(body[0].downstream_pipeline).toMatchObject({ id: 1013, status: 'running' });
    expect(Object.keys(body[0].pipeline)).toEqual(
      expect.arrayContaining(['created_at', 'updated_at', 'web_url']),
    );
    for (const name of ['runner', 'tag_list', 'artifacts']) expect(body[0]).not.toHaveProperty(name);
    const failed = (await ask('GET /projects/100/pipelines/1011/bridges?scope=failed')).body;
    expect(failed.map(({ status }: { status: string }) => status)).toEqual(['failed']);
  });
});

describe('the job of a token (section 5)', () => {
  const job = 'sandbox-job';
  test.each([
    ['JOB-TOKEN', { headers: { 'job-token': job } }, ''],
    ['Bearer', { headers: { authorization: `Bearer ${job}` } }, ''],
    ['query', {}, `?job_token=${job}`],
    ['CI_JOB_TOKEN', {}, `?CI_JOB_TOKEN=${job}`],
  ])('authenticates by %s', async (_, sent, query) => {
    const { status, body } = await ask(`GET /job${query}`, { as: 'none', ...sent });
    expect([status, body.id, body.status, body.user.username]).toEqual([200, 5280, 'running', 'devon']);
    const agents = await ask(`GET /job/allowed_agents${query}`, { as: 'none', ...sent });
    expect(agents.body).toMatchObject({ job: { id: 5280 }, pipeline: { id: 1012 }, project: { id: 100 } });
    expect(agents.body.allowed_agents).toEqual([{ id: 17, config_project: { id: 100 } }]);
  });

  test('rejects other tokens, and job tokens elsewhere', async () => {
    for (const call of ['GET /job', 'GET /job/allowed_agents']) {
      for (const as of ['admin', 'none']) expect((await ask(call, { as })).status).toBe(401);
      expect((await ask(call, { as: 'none', headers: { 'job-token': 'sandbox-admin' } })).status).toBe(401);
      expect((await ask(call, { as: 'none', headers: { 'private-token': job } })).status).toBe(401);
    }
    for (const call of ['GET /projects/100/jobs', 'DELETE /projects/100/variables/DEPLOY_USER']) {
      expect((await ask(call, { as: 'none', headers: { 'job-token': job } })).status).toBe(401);
    }
  });

  test('is valid only while its job runs', async () => {
    const { sandbox, ask } = await openTestSandbox();
    changeRow(sandbox, 'jobs', 5280, { status: 'success' });
    expect((await ask('GET /job', { as: 'none', headers: { 'job-token': job } })).status).toBe(401);
  });
});
