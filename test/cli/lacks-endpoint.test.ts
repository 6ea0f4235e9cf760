/** A 404 of an endpoint that the service or the sandbox does not have, as opposed to that of a resource. */
import { expect, test } from 'vitest';
import { ask } from '../interface/service.ts';
import { openWorld } from '../support/sandbox.ts';

const env = { SVC_PROJECT: 'acme/rocket' };
const ofRouter = '{"error":"404 Not Found"}';

test.each([
  ['an endpoint', 'api projects/1/issues', 5],
  ['a method of an endpoint', 'api projects/{project}/releases', 6],
])('the sandbox does not implement %s', async (_, command, exit) => {
  const { code, err } = await (await openWorld()).run(`${command} -p acme/rocket`);
  expect(code).toBe(exit);
  expect(err).toMatch(/^error: the sandbox does not implement this endpoint\n/);
  expect(err).toMatch(/\nhint: /);
});

test('a service does not offer an undocumented endpoint', async () => {
  const { code, err } = await ask('pipelines get 7', { status: 404, body: ofRouter }, { env });
  expect(code).toBe(5);
  expect(err).toMatch(/^error: this service does not offer GET \/projects\/:id\/pipelines\/:pipeline_id\n/);
});

test.each([
  ['a resource of an undocumented endpoint', 'pipelines get 7', '{"message":"404 Not found"}'],
  ['a message beside the error', 'pipelines get 7', '{"error":"404 Not Found","message":"x"}'],
  ['an endpoint of the specification', 'branches get x', ofRouter],
  ['a page of a proxy', 'pipelines get 7', '<html>404 Not Found</html>'],
])('not for %s', async (_, command, body) => {
  const { code, err } = await ask(command, { status: 404, body }, { env });
  expect(code).toBe(5);
  expect(err).not.toMatch(/does not (offer|implement)/);
});
