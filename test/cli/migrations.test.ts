/** `migrations create`: the source token is never on the command line. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Request } from '../../src/http/transport.ts';
import { ask as askService, bodyOf, folderWith, refusal, refused, typing } from '../interface/service.ts';
import { configuration, entity } from '../support/migration.ts';
import { type Setting, words } from '../support/svc.ts';

const keys = Object.entries(entity).map((pair) => pair.join('='));
const base = [
  ...words('migrations create --configuration url=https://old.example.com --entity'),
  keys.join(),
];
const ask = (argv: readonly string[], setting: Setting = {}) =>
  askService(argv, { status: 201, body: '{"id":1,"status":"created"}' }, setting);

const sent = (requests: readonly Request[]) => bodyOf(requests[0]) as { entities: Record<string, unknown>[] };

const fileWith = async (content: string) => join(await folderWith({ token: content }), 'token');

const whole = (access_token: string) => ({
  configuration: { ...configuration, access_token },
  entities: [entity],
});

test('reads the source token from a file without its line terminator', async () => {
  const { code, requests } = await ask([...base, '--source-token-file', await fileWith('from-file\n')]);
  expect([code, sent(requests)]).toEqual([0, whole('from-file')]);
});

test('reads the source token from SVC_SOURCE_TOKEN unless a file is given', async () => {
  const more = { env: { SVC_SOURCE_TOKEN: 'from-env' } };
  expect(sent((await ask(base, more)).requests)).toEqual(whole('from-env'));
  const both = await ask([...base, '--source-token-file', await fileWith('from-file')], more);
  expect(sent(both.requests)).toEqual(whole('from-file'));
});

test('asks for the source token on a terminal, without showing it', async () => {
  const answer = { status: 201, body: '{"id":1}' };
  const { code, requests, shown } = await typing(base, 'from-prompt\n', {}, answer);
  expect([code, sent(requests)]).toEqual([0, whole('from-prompt')]);
  expect(shown).not.toContain('from-prompt');
});

test.each(['@odd=token', '-x', '@@x', 'a=b,c=d'])('sends the token %j unchanged', async (token) => {
  const { requests } = await ask(base, { env: { SVC_SOURCE_TOKEN: token } });
  expect(sent(requests)).toEqual(whole(token));
});

test('fails with exit code 2 without a source token if prompting is not possible', () =>
  refused(base, [/--source-token-file/]));

test.each([
  [['--configuration', 'access_token=hush-hush']],
  [['--configuration', 'access_token=@hush-hush']],
  [['--configuration', 'url=https://o.example,access_token=hush-hush']],
  [['--configuration=access_token=hush-hush', '--dry-run']],
  [['--data', '{"configuration":{"url":"https://o.example","access_token":"hush-hush"}}']],
])('rejects a token on the command line without repeating it: %j', async (more) => {
  const env = { SVC_SOURCE_TOKEN: 'x' };
  const err = await refusal([...base, ...more], [/must not be on the command line/], { env });
  expect(err).not.toContain('hush-hush');
});

test('sends a body with a token from the file of --data', async () => {
  const file = await fileWith(JSON.stringify(whole('pointed')));
  const { requests } = await ask(['migrations', 'create', '--data', `@${file}`]);
  expect(sent(requests)).toEqual(whole('pointed'));
});

test.each(['one\ntwo\n', '', '\n', '-'])('rejects a token file that contains %j', async (content) => {
  await refused([...base, '--source-token-file', await fileWith(content)], []);
});

test('accepts repeated --entity flags and converts their values', async () => {
  const second =
    'source_type=project_entity,source_full_path=tools/cli,destination_slug=cli,destination_namespace=acme,migrate_memberships=false';
  const { requests } = await ask([...base, '--entity', second], { env: { SVC_SOURCE_TOKEN: 'x' } });
  expect(sent(requests).entities).toHaveLength(2);
  expect(sent(requests).entities[1]?.['migrate_memberships']).toBe(false);
});
