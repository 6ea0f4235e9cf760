/** Names in place of ids: `latest`, `latest:<ref>` and `@me`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadCatalogue } from '../../src/cli/catalogue.ts';
import { ask, folderWith, host, refused, root } from '../interface/service.ts';
import type { Canned } from '../support/svc.ts';

const project = `${root}/projects/acme%2Frocket`;
const answer = ({ url }: { readonly url: string }): Canned => {
  if (url.includes('/latest')) return { body: '{"id":1013,"ref":"main","status":"running"}' };
  if (url.endsWith('/user')) return { body: '{"id":3,"username":"mia"}' };
  return { body: /jobs|bridges|users\?|epics/.test(url) ? '[]' : '{"id":3}' };
};
const urls = async (line: string) => (await ask(line, answer)).requests.map(({ url }) => url);

test.each([
  ['pipelines get latest', [`${project}/pipelines/latest`, `${project}/pipelines/1013`]],
  ['jobs for-pipeline latest', [`${project}/pipelines/latest`, `${project}/pipelines/1013/jobs`]],
  [
    'pipelines retry latest:a/b',
    [`${project}/pipelines/latest?ref=a%2Fb`, `${project}/pipelines/1013/retry`],
  ],
  ['jobs digest latest', [`${project}/pipelines/latest`, `${project}/pipelines/1013/jobs?per_page=100`]],
])('%s finds the pipeline with one request', async (line, expected) => {
  expect((await urls(`${line} -p acme/rocket`)).slice(0, 2)).toEqual(expected);
});

test('every argument for a pipeline accepts latest', async () => {
  const { areas } = await loadCatalogue();
  const commands = areas.flatMap(({ commands: all }) => all);
  const found = commands.flatMap(({ arguments: all }) => all.filter(({ name }) => name === 'pipeline-id'));
  expect(found.length).toBeGreaterThan(7);
  for (const { of } of found) expect(of.suggest).toBe('pipelines/list/id');
});

test('the name and its meaning are on standard error', async () => {
  const ran = await ask('pipelines get latest:main -p acme/rocket --json', answer);
  expect(ran.err).toBe('latest:main is pipeline 1013 (main, running)\n');
  const cancel = await ask('pipelines cancel latest latest:x -p acme/rocket', answer);
  expect(cancel.err.match(/is pipeline/g)).toHaveLength(2);
});

test('svc each finds a person once', async () => {
  const line =
    'each --projects - --yes -- approval-rules create --name x --approvals-required 1 --user-ids @me';
  const [stdin, env] = ['acme/rocket\nacme/booster\n', { XDG_STATE_HOME: await folderWith() }];
  const { requests } = await ask(line, answer, { stdin, env });
  expect(requests.filter(({ url }) => url.endsWith('/user'))).toHaveLength(1);
});

test('a name without a pipeline fails with its value, and the others are tried', async () => {
  const some = (request: { readonly url: string }) =>
    request.url.includes('ref=none') ? { status: 404, body: '{"message":"404"}' } : answer(request);
  const ran = await ask('pipelines get 7 latest:none -p acme/rocket --fields id --json', some);
  expect([ran.code, JSON.parse(ran.out)]).toEqual([11, [{ id: 3 }]]);
  const { error } = JSON.parse(ran.err);
  expect(error.details).toEqual(['latest:none: no pipeline of none found']);
  expect(error.hint).toContain('svc pipelines list --project acme/rocket --ref none');
});

test('a command without a project uses that of the settings', async () => {
  const line = 'dependency-exports create latest --export-type sbom';
  const ran = await ask(line, answer, { env: { SVC_PROJECT: 'acme/rocket' } });
  expect(ran.requests.map(({ url }) => url)).toEqual([
    `${project}/pipelines/latest`,
    `${root}/pipelines/1013/dependency_list_exports`,
  ]);
  await refused(line, [/latest requires a project/, /SVC_PROJECT/]);
});

test('the project of the settings may be that of the checkout', async () => {
  const cwd = await folderWith();
  await mkdir(join(cwd, '.git'));
  await writeFile(join(cwd, '.git', 'config'), `[remote "origin"]\n\turl = ${host}/acme/rocket.git\n`);
  const ran = await ask('dependency-exports create latest', answer, { cwd, env: { SVC_PROJECT: '.' } });
  expect(ran.requests[0]?.url).toBe(`${project}/pipelines/latest`);
});

test('the flag of a pipeline accepts latest', async () => {
  const line = 'dependency-exports find ws --pipeline latest:main';
  const some = (request: { readonly method: string; readonly url: string }): Canned =>
    request.method === 'POST' ? { status: 404, body: '{}' } : answer(request);
  const { requests } = await ask(line, some, { env: { SVC_PROJECT: 'acme/rocket' } });
  expect(requests.map(({ url }) => url)).toEqual([
    `${project}/pipelines/latest?ref=main`,
    `${root}/pipelines/1013/dependency_list_exports`,
  ]);
  await refused('dependency-exports find ws --pipeline late', [/--pipeline must be a whole number, latest/]);
});

test.each([
  ['users get @me', 'users/3'],
  ['users list --username @me', 'users?username=mia'],
  ['epics list -g acme --author-id @me', 'groups/acme/epics?author_id=3'],
  ['epics list -g acme --not author_username=@me', 'groups/acme/epics?not%5Bauthor_username%5D=mia'],
  ['approval-rules create -p1 --name a --approvals-required 1 --user-ids @me,4', 'projects/1/approval_rules'],
])('%s', async (line, url) => {
  expect(await urls(line)).toEqual([`${root}/user`, `${root}/${url}`]);
});

test('text elsewhere is not a name', async () => {
  expect(await urls('branches get latest -p acme/rocket')).toHaveLength(1);
  expect(await urls('epics list -g acme --search @me')).toHaveLength(1);
});

test('nothing is sent for an invalid value beside a name, in a dry run, or for a word like it', async () => {
  await refused('jobs for-pipeline latest -p acme/rocket --scope x', [/unknown value "x"/]);
  await refused('pipelines get latests -p acme/rocket', [/must be a whole number/]);
  const ran = await ask('jobs for-pipeline latest -p acme/rocket --dry-run');
  expect([ran.code, ran.requests]).toEqual([0, []]);
  const note = 'The requests that resolve names such as latest or @me are not shown.\n';
  expect(ran.err).toBe(note);
  const keyed = await ask('epics list -g acme --not author_username=@me --dry-run');
  expect(keyed.err).toContain(note);
  const rule = 'approval-rules create -p 1 --name a --approvals-required 1 --user-ids @me,3 --dry-run';
  expect((await ask(rule)).out.replace(/\s/g, '')).toContain('"user_ids":["@me",3]');
});

test('a project without pipelines is not found', async () => {
  const missing = { status: 404, body: '{"message":"404 Not found"}' };
  const ran = await ask('pipelines get latest -p acme/rocket', missing);
  expect([ran.code, ran.requests.length]).toEqual([5, 1]);
});
