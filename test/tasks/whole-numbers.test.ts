/** Whole numbers beyond 2^53 in the responses that tasks read keep their digits. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedFolder } from '../support/folders.ts';
import { bodyText, type Canned, canned, svc } from '../support/svc.ts';
import { exited } from './engine/world.ts';

const folder = sharedFolder();

/** Run a command with the response of the first path that the URL contains. */
async function run(line: string, responses: Readonly<Record<string, string>>, setting: object = {}) {
  const sent: string[] = [];
  const bodies: string[] = [];
  const transport = canned((request): Canned => {
    const { method, url } = request;
    sent.push(`${method} ${url.replace(/^.*\/api\/v4|\?.*$/g, '')}`);
    if (request.body) bodies.push(bodyText(request));
    const found = Object.entries(responses).find(([path]) => url.includes(path));
    if (found && method !== 'GET' && found[1].startsWith('[')) return { body: '{}' };
    return found ? { body: found[1] } : { status: 404, body: '{"message":"404 Not Found"}' };
  });
  const env = { SVC_BASE_URL: 'http://host.example', SVC_TOKEN: 'token', XDG_STATE_HOME: folder };
  const ran = await svc(line, { transport, cwd: folder, env: { ...env, ...setting } });
  return { ...ran, sent, bodies };
}

// Each is the nearest neighbor of a number that a double can hold.
const root = '9007199254740993';
const child = '9007199254740995';
const jobs = ['9007199254740997', '90071992547409931'] as const;

const job = (id: string, pipeline: string) =>
  `{"id":${id},"name":"job ${id}","stage":"test","status":"failed","allow_failure":false,"pipeline":{"id":${pipeline}}}`;
const pipelines = {
  [`pipelines/${root}/jobs`]: `[${job(jobs[0], root)}]`,
  [`pipelines/${root}/bridges`]: `[{"id":1,"name":"bridge","stage":"test","status":"failed","allow_failure":false,"pipeline":{"id":${root}},"downstream_pipeline":{"id":${child}}}]`,
  [`pipelines/${child}/jobs`]: `[${job(jobs[1], child)}]`,
  [`pipelines/${child}/bridges`]: '[]',
};

const formats = ['--json', '-o ndjson', '-o yaml', '--csv', '-o tsv', '-o table'];
test.each(formats)('jobs digest %s prints the ids of jobs and of child pipelines', async (format) => {
  const ran = await run(`jobs digest ${root} -p a/b ${format} --fields id,pipeline_id`, pipelines);
  expect([ran.code, ran.err]).toEqual([0, expect.stringContaining(`Pipeline ${root}: 3 jobs`)]);
  for (const id of [...jobs, root, child]) expect(ran.out).toContain(id);
  expect(ran.out).not.toMatch(/9007199254740992|9007199254740994|9007199254740996|90071992547409930/);
});

test('jobs wait prints the ids of failed jobs, and leaves out its own job', async () => {
  const ran = await exited(9, run(`jobs wait ${root} -p a/b --json`, pipelines, { CI_JOB_ID: jobs[0] }));
  expect(ran.out).toContain(`"pipeline_id":${root}`);
  expect(ran.out).toContain(`"id":${jobs[1]}`);
  expect(ran.out).not.toContain(jobs[0]);
});

const rules = (user: string) =>
  `[{"id":1,"name":"Security","approvals_required":1,"rule_type":"regular","users":[{"id":${user}}],"groups":[]}]`;

test('export, diff and apply compare and write ids exactly', async () => {
  for (const format of ['yaml', 'json']) {
    const exported = await run(`export approval_rules -g acme -o ${format}`, { approval_rules: rules(root) });
    expect(exported.code).toBe(0);
    expect(exported.out).toContain(root);
    const file = join(folder, `state.${format}`);
    await writeFile(file, exported.out);
    const diff = (user: string) => run(`diff -f ${file} -o ndjson`, { approval_rules: rules(user) });
    expect((await diff(root)).code).toBe(0);
    const changed = await exited(10, diff('9007199254740992'));
    expect(changed.out).toContain(`"user_ids":[[9007199254740992],[${root}]]`);
    const applied = await run(`apply -f ${file} --yes`, { approval_rules: rules('9007199254740992') });
    expect(applied.code).toBe(0);
    expect(applied.bodies).toEqual([expect.stringContaining(`"user_ids":[${root}]`)]);
    const saved = join(folder, `plan.${format}`);
    await exited(0, run(`apply -f ${file} --save-plan ${saved}`, { approval_rules: rules('1') }));
    expect(await readFile(saved, 'utf8')).toContain(root);
    await exited(0, run(`apply -f ${file} --plan ${saved} --yes`, { approval_rules: rules('1') }));
  }
});

test('each --in-group uses the ids of projects', async () => {
  const ran = await run('each --in-group acme -o ndjson -- approvals get', {
    'groups/acme/projects': `[{"id":${root}},{"id":${child}}]`,
    approvals: '{}',
  });
  expect(ran.sent.slice(1).sort()).toEqual([root, child].map((id) => `GET /projects/${id}/approvals`));
});

const event = (id: string, data: string) =>
  `{"id":${id},"trigger":"push_hooks","response_status":"500","request_headers":{},"request_data":${data}}`;

test('hooks replay resends the events of the log in the order of their ids', async () => {
  const events = `[${event(jobs[1], '{}')},${event(root, '{}')},${event('99', '{}')}]`;
  const responses = { '/resend': '{"response_status":200}', '/events': events };
  const ran = await run('hooks replay 301 -g acme --yes', responses);
  expect(ran.err).toContain('Resent 3 events of webhook 301');
  expect(ran.sent.filter((one) => one.startsWith('POST'))).toEqual(
    ['99', root, jobs[1]].map((id) => `POST /groups/acme/hooks/301/events/${id}/resend`),
  );
  const one = await run(`hooks replay 301 -g acme --yes --event ${root}`, responses);
  expect(one.sent.filter((sent) => sent.startsWith('POST'))).toHaveLength(1);
});

test('hooks forward sends the payload with its numbers', async () => {
  const data = `{"object_kind":"push","project_id":${root},"commits":[{"id":${child}}],"none":null}`;
  const ran = await run('hooks forward 301 -g acme --to http://receiver.example/ --once --since 1d', {
    '/events': `[${event('7', data)}]`,
    'receiver.example': '',
  });
  expect([ran.code, ran.bodies]).toEqual([0, [data]]);
});
