/** Values that come from the environment or a file are secrets in everything that is printed or saved. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { resources } from '../../../src/api/resources.ts';
import type { Field } from '../../../src/spec/field.ts';
import { folderWith } from '../../support/folders.ts';
import { bodyText } from '../../support/svc.ts';
import { changesByKind, group, project } from './changes-by-kind.ts';
import {
  exited,
  type Intercept,
  intercepted,
  isWrite,
  openStateWorld,
  respond,
  stateWorldPerTest,
  writes,
  wroteNothing,
} from './world.ts';

const world = stateWorldPerTest();
let plan: string;
beforeEach(async () => {
  plan = join(await folderWith(), 'plan');
});

const secret = 'https://r3f-v4lue.example/r3f';
const isFree = (field: Field) => field.kind === 'text' && !field.choices && !field.maxLength;

const lines = [
  'diff -f -',
  'diff -f - -o json',
  'diff -f - -o csv',
  'apply -f - --dry-run',
  'apply -f - --curl',
  'apply -f - --yes -o ndjson --trace',
];

/** Run the commands that show a plan, and return everything that they print and save. */
async function everything(file: string, env: Readonly<Record<string, string>>): Promise<string> {
  const saved = await exited(0, world.state(`apply -f - --save-plan ${plan}`, file, undefined, env));
  let printed = `${saved.out}${saved.err}${await readFile(plan, 'utf8')}`;
  for (const line of lines) {
    const { out, err } = await world.state(line, file, undefined, env);
    printed += out + err;
  }
  return printed;
}

const loaded = await Promise.all(
  Object.entries(resources).map(async ([kind, load]) => [kind, await load()] as const),
);
const attributes = loaded.flatMap(([kind, { attributes: fields }]) =>
  Object.entries(fields).flatMap(([name, field]) => (isFree(field) ? [[kind, name] as const] : [])),
);

test.each(attributes)('%s: %s from the environment appears nowhere', async (kind, name) => {
  const { [kind]: entries, ...own } = parse(changesByKind[kind] ?? '');
  // Global settings have attributes that those of a project lack.
  const head = name === 'notification_email' ? { svc: 1, instance: true } : own;
  const [entry] = [entries].flat();
  const changed = { ...entry, [name]: { env: 'REF' } };
  const file = JSON.stringify({ ...head, [kind]: Array.isArray(entries) ? [changed] : changed });
  const printed = await everything(file, { REF: secret });
  expect(printed).not.toMatch(/r3f/);
  expect(printed).toContain('***');
});

describe('nested values', () => {
  test('text from a file appears nowhere, other parts of a dry run do', async () => {
    await writeFile(`${plan}.txt`, 'first r3f line\nsecond r3f line\n');
    const file = `[{ file_path: hello.sh, content: { file: ${plan}.txt } }]`;
    const text = `${project}snippets: [{ title: Hello, files: ${file} }]\n`;
    expect(await everything(text, {})).not.toMatch(/r3f/);
    await world.run('snippets delete 51 -p acme/rocket --yes');
    const dry = await world.state('apply -f - --dry-run', text);
    const files = [{ file_path: 'hello.sh', content: '***' }];
    expect(JSON.parse(dry.out)).toMatchObject({ body: { files } });
    const shown = await world.state('apply -f - --dry-run --show-secrets', text);
    expect(JSON.parse(shown.out).body.files[0].content).toBe('first r3f line\nsecond r3f line\n');
  });
});

test('the old value of an attribute that comes by reference is hidden too', async () => {
  const file = `${project}badges: [{ name: build, link_url: { env: REF } }]\n`;
  const { out } = await world.state('diff -f - -o ndjson', file, undefined, { REF: secret });
  expect(JSON.parse(out).changes).toEqual({ link_url: ['***', '***'] });
});

test('the value that is sent is the one of the reference', async () => {
  const file = `${project}badges: [{ name: { env: NAME }, link_url: { env: REF }, image_url: { env: REF } }]\n`;
  const env = { NAME: 'docs', REF: secret };
  await exited(0, world.state('apply -f - --yes', file, undefined, env));
  const rows: object[] = await world.json('badges list -p acme/rocket');
  expect(rows).toContainEqual(expect.objectContaining({ name: 'docs', link_url: secret, image_url: secret }));
  await exited(0, world.state('diff -f -', file, undefined, env));
});

test('a saved plan is another one if an identity that comes by reference changes', async () => {
  const file = `${project}variables: [{ key: { env: KEY }, description: new }]\n`;
  await world.state(`apply -f - --save-plan ${plan}`, file, undefined, { KEY: 'DEPLOY_USER' });
  const run = (KEY: string) => world.state(`apply -f - --plan ${plan} --yes`, file, undefined, { KEY });
  await wroteNothing(10, run('API_TOKEN'));
  const same = await exited(0, run('DEPLOY_USER'));
  expect(writes(same)).toEqual([
    'PUT /projects/acme%2Frocket/variables/DEPLOY_USER?filter%5Benvironment_scope%5D=%2A',
  ]);
});

describe('the URL of a webhook', () => {
  const url = 'https://mia:r3f-pass@hooks.example/in?token=r3f-query&x=r3f';
  const file = `${group}hooks: [{ url: "${url}", push_events: true }]\n`;

  test('is shown in plans without user information and query values', async () => {
    const printed = await everything(file, {});
    expect(printed).not.toMatch(/r3f|mia/);
    expect(printed).toContain('webhook https://***@hooks.example/in?token=***&x=***');
  });

  test.each([
    ['written in the file', file, {}],
    ['by reference', file.replace(`"${url}"`, '{ env: URL }'), { URL: url }],
    ['of the second document', `svc: 1\ngroup: 10\nbadges: []\n---\n${file}`, {}],
  ])('%s is in no error that repeats the request', async (_, text, env) => {
    const echo: Intercept = (request, send) => {
      if (!isWrite(request)) return undefined;
      const query = { 'r3f-query': decodeURI(url) };
      const message = { url: [`bad: ${bodyText(request)}`], pass: 'r3f-pass', query };
      return respond(send, 422, JSON.stringify({ message }));
    };
    for (const flags of ['', '-o ndjson', '-o json --trace']) {
      const own = await openStateWorld();
      const { code, out, err } = await own.state(`apply -f - --yes ${flags}`, text, echo, env);
      expect([code, out + err]).toEqual([11, expect.not.stringMatching(/r3f-|mia/)]);
      expect(out + err).toContain('bad: ');
    }
  });

  const copied = '--from acme/rocket --to acme/website --yes';
  test.each([
    [`variables copy ${copied}`, 'not-a-real-token'],
    [`copy hooks ${copied}`, 'r3f-query'],
    ['hooks create -p acme/rocket --url https://hooks.example/in?key=r3f-query', 'r3f-query'],
  ])('%s: a secret that a rejection repeats is in no error', async (line, text) => {
    await world.run('hooks create -p acme/rocket --url https://hooks.example/in?key=r3f-query');
    const transport = intercepted(world, (request, send) =>
      isWrite(request) ? respond(send, 422, JSON.stringify({ message: `bad: ${text}` })) : undefined,
    );
    const { out, err } = await world.run(`${line} -o ndjson`, { transport });
    expect(out + err).toContain('bad: ***');
    expect(out + err).not.toContain(text);
  });

  test('a saved plan is another one if only its query changes', async () => {
    await world.state(`apply -f - --save-plan ${plan}`, file);
    await wroteNothing(10, world.state(`apply -f - --plan ${plan} --yes`, file.replace('r3f-', 'other')));
  });
});
