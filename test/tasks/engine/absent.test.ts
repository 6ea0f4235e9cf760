/** `absent`: what a state file names must not exist, without `--prune`. */
import { expect, test } from 'vitest';
import { apply, at, exited, expectCode, stateWorldPerTest, withText, writes, wroteNothing } from './world.ts';

const world = stateWorldPerTest();
const project = 'svc: 1\nproject: acme/rocket\n';

/** Names of the variables or badges that exist. */
async function namesOf(kind: string, field: string): Promise<string[]> {
  const { out } = await world.run(`${kind} list -p acme/rocket --fields ${field} -o tsv --no-header`);
  return out.trim().split('\n').sort();
}

test.each([
  ['variables: { absent: [{ key: DATABASE_* }] }', ['DATABASE_URL', 'DATABASE_URL']],
  ['variables: { absent: [{ key: "**", environment_scope: staging }] }', ['DATABASE_URL']],
  [
    'variables: { absent: [{ key: "**", environment_scope: "*" }] }',
    ['API_TOKEN', 'DEPLOY_USER', 'HIDDEN_KEY', 'KUBECONFIG'],
  ],
  ['variables: { absent: [{ masked: true }] }', ['API_TOKEN', 'HIDDEN_KEY']],
  ['variables: { absent: [{ key: "*_TOKEN" }, { key: API_TOKEN }] }', ['API_TOKEN']],
  ['variables: { absent: [{ key: api_token }] }', []],
])('%s deletes what matches, and nothing else', async (kind, expected) => {
  const before = await namesOf('variables', 'key');
  await exited(0, world.state(apply, `${project}${kind}\n`));
  const left = [...before];
  for (const name of expected) left.splice(left.indexOf(name), 1);
  expect(await namesOf('variables', 'key')).toEqual(left);
  await wroteNothing(0, world.state(apply, `${project}${kind}\n`));
});

test('an attribute that the service does not return is named, and nothing is deleted', async () => {
  const file = `${project}variables: { absent: [{ key: API_*, description: "*" }] }\n`;
  const intercept = withText(at(/variables/), (text) => text.replaceAll('"description"', '"other"'));
  const ran = await wroteNothing(11, world.state(apply, file, intercept));
  expect(ran.out).toContain(
    '! variable API_TOKEN (scope *): delete: the service does not return description',
  );
});

test('a star does not match a slash, two do', async () => {
  const url = (pattern: string) => `${project}hooks: { absent: [{ url: "${pattern}" }] }\n`;
  await exited(0, world.state('diff -f -', url('http://*')));
  await exited(10, world.state('diff -f -', url('http://127.0.0.1:9/*')));
  await exited(10, world.state('diff -f -', url('http://**')));
});

test('entries and absent: what is declared is created, what matches is deleted, the rest stays', async () => {
  const file = `${project}badges:
  entries: [{ name: docs, link_url: https://docs.example, image_url: https://docs.example/a.svg }]
  absent: [{ name: build }]
`;
  const ran = await exited(0, world.state(apply, file));
  expect(ran.out).toContain('+ badge docs\n  - badge build\n');
  expect(ran.out).toContain('Plan: 1 to create, 0 to update, 1 to delete.');
  expect(await namesOf('badges', 'name')).toEqual(['coverage', 'docs', 'quality']);
});

test('absent alone declares no list, so that --prune deletes no more', async () => {
  const ran = await world.state(`${apply} --prune`, `${project}badges: { absent: [{ name: build }] }\n`);
  expectCode(ran, 0);
  expect(writes(ran)).toHaveLength(1);
});

test('deletions count for --max-deletes', async () => {
  const file = `${project}variables: { absent: [{ key: "**" }] }\n`;
  const ran = await wroteNothing(2, world.state(`${apply} --max-deletes 2`, file));
  expect(ran.err).toContain('--max-deletes 2');
});

test('a protection by pattern is deleted if its name matches', async () => {
  await world.run('branches protect "old/*" -p acme/rocket');
  const ran = await world.state(apply, `${project}protected_branches: { absent: [{ name: old/** }] }\n`);
  expectCode(ran, 0);
  expect(writes(ran)).toEqual(['DELETE /projects/acme%2Frocket/protected_branches/old%2F%2A']);
});

test.each([
  [
    'badges: { absent: [{ name: b*, link_url: "**" }], entries: [{ name: build, link_url: https://a.example }] }',
    '3:61: this badge must not exist, see -:3:20',
  ],
  [
    'badges: { absent: [{ link_url: "**" }], entries: [{ name: build }] }',
    'this badge must not exist, see -:3:20',
  ],
  ['variables: { absent: [{ value: a }] }', 'unknown attribute "value"'],
  ['variables: { absent: [{}] }', 'at least one attribute is required'],
  ['variables: { absent: { key: A } }', '3:14: absent must be a list'],
  ['variables: { absnet: [] }', '3:14: variables must be a list, or have entries and absent'],
  ['variables: {}', 'variables must be a list, or have entries and absent'],
  ['variables: { absent: [{ masked: maybe }] }', 'masked'],
  ['approvals: { absent: [] }', 'unknown attribute "absent"'],
])('%s is an error with its position; nothing is sent', async (kind, message) => {
  const ran = await wroteNothing(2, world.state(apply, `${project}${kind}\n`));
  expect(ran.err).toContain(message);
});
