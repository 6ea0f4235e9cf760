/** The health of webhooks: failures suspend deliveries, on the clock of the sandbox. */
import { expect, test } from 'vitest';
import { openReceiver } from '../support/receiver.ts';
import { noon, openClocked } from './ask.ts';

const minute = 60;
const at = (seconds: number) => new Date(noon + seconds * 1000).toISOString();

async function openHook() {
  const response = { status: 500 };
  const receiver = await openReceiver(() => response);
  const opened = await openClocked();
  const json = { url: receiver.url, push_events: false, wiki_page_events: true };
  const { body: hook } = await opened.ask('POST /groups/10/hooks', { json });
  const path = `/groups/10/hooks/${hook.id}`;
  const health = async () => {
    const { body } = await opened.ask(`GET ${path}`);
    return [body.alert_status, body.disabled_until];
  };
  let page = 0;
  return {
    ...opened,
    ...receiver,
    path,
    response,
    health,
    /** Cause an event and wait until it is delivered, unless the hook is disabled. */
    async event() {
      const json = { title: `Page ${page++}`, content: 'c' };
      expect((await opened.ask('POST /groups/10/wikis', { json })).status).toBe(201);
      // A snapshot waits until deliveries end.
      expect((await opened.ask('PUT /-/sandbox/snapshots/state')).status).toBeLessThan(300);
    },
  };
}

test('suspends a hook for a minute after four consecutive failures, and does not call it', async () => {
  const { event, health, wait, calls, path, ask } = await openHook();
  for (let n = 0; n < 3; n++) await event();
  expect(await health()).toEqual(['executable', null]);
  await event();
  expect(await health()).toEqual(['temporarily_disabled', at(minute)]);
  expect((await ask('GET /groups/10/hooks')).body.at(-1).alert_status).toBe('temporarily_disabled');
  await event();
  expect(calls).toHaveLength(4);
  expect((await ask(`GET ${path}/events`)).body).toHaveLength(4);
  wait(59);
  await event();
  expect(calls).toHaveLength(4);
  wait(1);
  expect(await health()).toEqual(['executable', null]);
  await event();
  expect(calls).toHaveLength(5);
  expect(await health()).toEqual(['temporarily_disabled', at(3 * minute)]);
});

test('doubles the time up to a day, and disables the hook after 40 failures', async () => {
  const { event, health, wait, calls } = await openHook();
  for (let n = 0; n < 4; n++) await event();
  let elapsed = 0;
  for (let failures = 4; failures < 40; failures++) {
    const pause = Math.min(24 * 60 * minute, minute * 2 ** (failures - 4));
    expect(await health()).toEqual(['temporarily_disabled', at(elapsed + pause)]);
    wait(pause);
    elapsed += pause;
    await event();
  }
  expect(await health()).toEqual(['disabled', null]);
  wait(30 * 24 * 60 * minute);
  await event();
  expect(calls).toHaveLength(40);
  expect(await health()).toEqual(['disabled', null]);
});

test('a success resets the count', async () => {
  const { event, health, response } = await openHook();
  for (let n = 0; n < 3; n++) await event();
  response.status = 204;
  await event();
  response.status = 302;
  for (let n = 0; n < 3; n++) await event();
  expect(await health()).toEqual(['executable', null]);
  await event();
  expect(await health()).toMatchObject(['temporarily_disabled', expect.any(String)]);
});

test('a resend calls a disabled hook, and enables it if it succeeds', async () => {
  const { event, health, response, ask, path } = await openHook();
  for (let n = 0; n < 4; n++) await event();
  const [{ id }] = (await ask(`GET ${path}/events`)).body;
  response.status = 200;
  expect((await ask(`POST ${path}/events/${id}/resend`)).body).toEqual({ response_status: 200 });
  expect(await health()).toEqual(['executable', null]);
});
