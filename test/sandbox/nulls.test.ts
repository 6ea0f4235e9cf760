/** Fields of section 2 without `?` are not null, except those in decision 0010. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { words } from '../support/svc.ts';
import { openTestSandbox } from './ask.ts';
import { seededCalls } from './seeded-calls.ts';

/** Transcribed by hand from section 2: `?`, "or null", "nullable where unset", "null when". */
const specified = Object.entries({
  jobs: `coverage started_at finished_at erased_at artifacts_expire_at runner runner_manager runner.ip_address runner.name
    user.bio user.location`,
  variables: 'description',
  migrations: 'parent_id namespace_id project_id',
  'approval-rules': 'report_type',
  users: 'created_by',
  uploads: 'uploaded_by',
  hooks: 'disabled_until',
  'error-tracking': 'project_name tracker_external_url api_url',
  epics: 'parent_id parent_iid',
}).flatMap(([area, names]) => words(names).map((name) => `${area} ${name}`));

/** The payload of a webhook is defined in section 6.1, not in section 2. */
const payload = /^hooks request_data\./;

/** Parse `epics closed_at` in the table of the decision record. */
async function documented(): Promise<string[]> {
  const file = new URL('../../docs/decisions/0010-fields-that-are-null.md', import.meta.url);
  const rows = [...(await readFile(file, 'utf8')).matchAll(/^\| ([a-z-]+) \| (.+?) \|/gm)];
  return rows.flatMap(([, area, names]) =>
    [...(names as string).matchAll(/`([^`]+)`/g)].map(([, name]) => `${area} ${name}`),
  );
}

function* nullsIn(value: unknown, path: readonly string[] = []): Generator<string> {
  if (value === null) yield path.join('.');
  else if (Array.isArray(value)) for (const item of value) yield* nullsIn(item, path);
  else if (typeof value === 'object')
    for (const [name, inner] of Object.entries(value as object)) yield* nullsIn(inner, [...path, name]);
}

const created: readonly (readonly [area: string, call: string, json: object])[] = [
  ['broadcasts', 'POST /broadcast_messages', { message: 'x' }],
  ['broadcasts', 'PUT /broadcast_messages/61', { font: null, target_path: null }],
  ['snippets', 'POST /projects/100/snippets', { title: 'x', files: [{ file_path: 'a', content: 'b' }] }],
  ['snippets', 'PUT /projects/100/snippets/51', { description: null }],
  ['epics', 'POST /groups/10/epics', { title: 'x' }],
  ['hooks', 'POST /groups/10/hooks', { url: 'http://127.0.0.1:9' }],
  ['variables', 'POST /projects/100/variables', { key: 'A', value: 'x' }],
  ['license', 'POST /license', { license: 'a license text' }],
  ['branches', 'POST /projects/100/repository/branches', { branch: 'new', ref: 'main' }],
  ['badges', 'POST /projects/100/badges', { link_url: 'https://a.example', image_url: 'https://a.example' }],
];

test('fields without ? in section 2 are not null, except as documented', async () => {
  const { ask } = await openTestSandbox();
  const found = new Set<string>();
  const note = (area: string, body: unknown) => {
    for (const name of nullsIn(body)) found.add(`${area} ${name}`);
  };
  for (const { request, how, entry, endpoint } of seededCalls('GET')) {
    if (endpoint.unspecified) continue;
    const lists = endpoint.returns.kind === 'list';
    for (const page of lists ? [1, 2, 3] : [0]) {
      const paged = page > 0 ? `${request.includes('?') ? '&' : '?'}per_page=100&page=${page}` : '';
      note(entry.name, (await ask(`${request}${paged}`, how)).body);
    }
  }
  for (const [area, call, json] of created) {
    const { status, body } = await ask(call, { json });
    expect([call, status < 300]).toEqual([call, true]);
    note(area, body);
  }
  const deviations = [...found].filter((name) => !specified.includes(name) && !payload.test(name));
  expect(deviations.sort()).toEqual((await documented()).sort());
});
