/** Notification settings (sections 2.17, 4.18). */
import { expect, test } from 'vitest';
import { words } from '../support/svc.ts';
import { sandboxPerTest } from './ask.ts';

const ask = sandboxPerTest();

const events = words(`
  new_note new_issue reopen_issue close_issue reassign_issue issue_due new_merge_request push_to_merge_request
  reopen_merge_request close_merge_request reassign_merge_request merge_merge_request failed_pipeline fixed_pipeline
  success_pipeline moved_project merge_when_pipeline_succeeds new_epic`);
const everywhere = '/notification_settings';
const project = '/projects/100/notification_settings';
const group = '/groups/10/notification_settings';

test('returns level and email address for the instance', async () => {
  expect(await ask(`GET ${everywhere}`)).toMatchObject({
    status: 200,
    body: { level: 'participating', notification_email: 'root@example.com' },
  });
  const json = { level: 'watch', notification_email: 'other@example.com' };
  expect((await ask(`PUT ${everywhere}`, { json })).body).toEqual(json);
  expect((await ask(`GET ${everywhere}`, { as: 'owner' })).body.level).toBe('participating');
});

test('returns the level of a scope, and every event with level custom', async () => {
  expect((await ask(`GET ${group}`)).body).toEqual({ level: 'global' });
  const { body } = await ask(`GET ${project}`);
  expect(body.level).toBe('custom');
  expect(Object.keys(body.events).sort()).toEqual([...events].sort());
  expect(body.events).toMatchObject({ failed_pipeline: true, new_issue: false });
  expect((await ask(`PUT ${group}`, { json: { level: 'mention' } })).body).toEqual({ level: 'mention' });
  expect((await ask('GET /groups/11/notification_settings')).body).toEqual({ level: 'global' });
});

test('changes single events and keeps them while another level is set', async () => {
  const form = new URLSearchParams({ new_issue: 'true', new_note: 'false', new_epic: 'true' });
  const { body } = await ask(`PUT ${project}`, { form });
  expect(body.events).toMatchObject({
    new_issue: true,
    new_note: false,
    new_epic: true,
    failed_pipeline: true,
  });
  expect((await ask(`PUT ${project}`, { json: { level: 'disabled', new_issue: null } })).body).toEqual({
    level: 'disabled',
  });
  const back = await ask(`PUT ${project}`, { json: { level: 'custom' } });
  expect(back.body.events).toMatchObject({ new_issue: false, new_epic: true, failed_pipeline: true });
});
