/** A third-party client in a project: a round trip in each area that it supports. */
import {
  ErrorTrackingClientKeys,
  ErrorTrackingSettings,
  Jobs,
  MergeRequestContextCommits,
  ProjectMarkdownUploads,
  ProjectVariables,
  RepositoryFiles,
} from '@gitbeaker/rest';
import { describe, expect, test } from 'vitest';
import { seededShas } from '../support/seeded-shas.ts';
import { serveSandbox, statusOf } from './world.ts';

const rocket = 'acme/rocket';

describe('jobs', () => {
  test('reads all pages by offset and by keyset', async () => {
    const world = await serveSandbox();
    const jobs = new Jobs(world.as('developer'));
    const ids = Array.from({ length: 280 }, (_, at) => 5280 - at);
    expect((await jobs.all(rocket, { perPage: 100 })).map(({ id }) => id)).toEqual(ids);
    const keyset = await jobs.all(100, {
      pagination: 'keyset',
      orderBy: 'id',
      sort: 'desc',
      perPage: 100,
    } as never);
    expect((keyset as unknown as { id: number }[]).map(({ id }) => id)).toEqual(ids);
  });
  test('reads the jobs and bridges of a pipeline, and the job of a job token', async () => {
    const world = await serveSandbox();
    const jobs = new Jobs(world.as('admin'));
    const latest = await jobs.all(rocket, { pipelineId: 1012 });
    expect(new Set(latest.map(({ pipeline }) => pipeline.id))).toContain(1012);
    const bridges = await jobs.allPipelineBridges(rocket, 1012);
    expect(bridges.map(({ downstream_pipeline: one }) => one?.id)).toContain(1013);
    const failed = await jobs.all(rocket, { scope: 'failed' });
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(['failed']));
    const own = new Jobs(world.job);
    // The client stores a job token where its own lookup does not find it.
    own.headers['job-token'] = world.job.jobToken;
    expect((await own.showConnectedJob()).id).toBe(5280);
    expect((await own.showConnectedJobK8Agents()) as unknown).toMatchObject({ job: { id: 5280 } });
  });
});

test('manages variables', async () => {
  const world = await serveSandbox();
  const variables = new ProjectVariables(world.as('maintainer'));
  const created = await variables.create(rocket, 'NEW_KEY', 'one', {
    variableType: 'file',
    environmentScope: 'production',
    protected: true,
  });
  expect(created).toMatchObject({ key: 'NEW_KEY', value: 'one', variable_type: 'file', protected: true });
  expect(await variables.show(rocket, 'NEW_KEY')).toEqual(created);
  const filter = { environment_scope: 'production' };
  const changed = await variables.edit(rocket, 'DATABASE_URL', 'postgres://new', { filter });
  expect(changed).toMatchObject({ value: 'postgres://new', environment_scope: 'production' });
  expect(await variables.show(rocket, 'DATABASE_URL', { filter })).toEqual(changed);
  expect(await statusOf(variables.show(rocket, 'DATABASE_URL'))).toBe(409);
  await variables.remove(rocket, 'NEW_KEY');
  expect((await variables.all(rocket)).map(({ key }) => key)).not.toContain('NEW_KEY');
  expect(await statusOf(variables.show(rocket, 'NEW_KEY'))).toBe(404);
  expect(await statusOf(new ProjectVariables(world.as('developer')).all(rocket))).toBe(403);
});

test('manages repository files', async () => {
  const world = await serveSandbox();
  const files = new RepositoryFiles(world.as('maintainer'));
  const path = 'docs/new page é.md';
  const added = await files.create(rocket, path, 'main', 'one\n', 'Add', { executeFilemode: true });
  expect(added).toEqual({ file_path: path, branch: 'main' });
  const created = await files.show(rocket, path, 'main');
  expect(Buffer.from(created.content, 'base64').toString()).toBe('one\n');
  expect(created.execute_filemode).toBe(true);
  await files.edit(rocket, path, 'main', Buffer.from('two\n').toString('base64'), 'Change', {
    encoding: 'base64',
    lastCommitId: created.last_commit_id,
  });
  expect(await files.showRaw(rocket, path, 'main')).toBe('two\n');
  const blame = await files.allFileBlames(rocket, 'src/main.ts', 'main', { range: { start: 1, end: 2 } });
  expect(blame.flatMap(({ lines }) => lines ?? [])).toHaveLength(2);
  await files.remove(rocket, path, 'main', 'Remove');
  expect(await statusOf(files.show(rocket, path, 'main'))).toBe(404);
});

test('manages uploads', async () => {
  const world = await serveSandbox();
  const uploads = new ProjectMarkdownUploads(world.as('maintainer'));
  const created = await uploads.create(rocket, { content: new Blob(['remember\n']), filename: 'notes.txt' });
  const [, secret = ''] = /\/uploads\/([0-9a-f]{32})\/notes\.txt$/.exec(created.url) ?? [];
  const list = (await uploads.all(rocket)) as unknown as { id: number; filename: string; size: number }[];
  expect(list[0]).toMatchObject({ filename: 'notes.txt', size: 9 });
  const whole = async (kept: unknown) => (kept instanceof Blob ? kept.text() : String(kept));
  expect(await whole(await uploads.download(rocket, secret, 'notes.txt'))).toBe('remember\n');
  expect(await whole(await uploads.download(rocket, list[0]?.id as number))).toBe('remember\n');
  await uploads.remove(rocket, list[0]?.id as number);
  expect(await statusOf(uploads.download(rocket, secret, 'notes.txt'))).toBe(404);
});

test('manages context commits', async () => {
  const world = await serveSandbox();
  const commits = new MergeRequestContextCommits(world.as('developer'));
  const ids = async () => ((await commits.all(rocket, 7)) as unknown as { id: string }[]).map(({ id }) => id);
  expect(await ids()).toEqual([seededShas['main~3']]);
  await commits.create(rocket, [seededShas.main], { mergerequestIId: 7 });
  expect((await ids()).sort()).toEqual([seededShas.main, seededShas['main~3']].sort());
  // The client sends the parameters of a DELETE in a JSON body.
  await commits.remove(rocket, 7, { commits: [seededShas['main~3']] } as never);
  expect(await ids()).toEqual([seededShas.main]);
});

test('updates error tracking settings in the query of PUT and PATCH', async () => {
  const world = await serveSandbox();
  const settings = new ErrorTrackingSettings(world.as('maintainer'));
  expect(await settings.show(rocket)).toMatchObject({ active: true, integrated: true });
  expect(await settings.edit(rocket, false)).toMatchObject({ active: false });
  expect(await settings.create(rocket, true, true)).toMatchObject({ active: true, integrated: true });
  const keys = new ErrorTrackingClientKeys(world.as('maintainer'));
  const key = await keys.create(rocket);
  expect((await keys.all(rocket)).map(({ id }) => id)).toContain(key.id);
});
