import { expect, test } from 'vitest';
import { columnsOf } from '../../src/spec/column.ts';
import { commandName } from '../../src/spec/command.ts';
import { calls, returned } from '../support/catalogue.ts';

test.each([
  ['jobs list', 'id', 'ID', 'id'],
  ['jobs list', 'status', 'STATUS', 'state'],
  ['jobs list', 'name', 'NAME', 'name'],
  ['jobs list', 'ref', 'REF', 'text'],
  ['jobs list', 'duration', 'DURATION', 'duration'],
  ['jobs list', 'finished_at', 'FINISHED', 'time'],
  ['variables list', 'key', 'KEY', 'name'],
  ['variables list', 'environment_scope', 'SCOPE', 'id'],
  ['variables list', 'masked', 'MASKED', 'flag'],
  ['branches list', 'commit.author_name', 'AUTHOR', 'person'],
  ['branches list', 'commit.short_id', 'COMMIT', 'id'],
  ['files blame', 'lines', 'LINE', 'lines'],
  ['epics list', 'author.username', 'AUTHOR', 'person'],
  ['epics list', 'due_date', 'DUE', 'time'],
  ['uploads list', 'size', 'SIZE', 'size'],
  ['uploads list', 'uploaded_by.username', 'UPLOADED BY', 'person'],
  ['approval-rules list', 'users.username', 'USERS', 'person'],
  ['users list', 'username', 'USERNAME', 'name'],
  ['hooks events', 'response_status', 'RESPONSE', 'state'],
  ['error-tracking errors', 'event_count', 'EVENTS', 'number'],
  ['license list', 'licensee.Company', 'COMPANY', 'text'],
] as const)('svc %s: %s is %s, of kind %s', (title, path, label, kind) => {
  const call = calls.find(({ entry, endpoint }) => `${entry.name} ${commandName(endpoint)}` === title);
  const columns = columnsOf(call?.endpoint.columns ?? [], call ? returned(call.endpoint) : {});
  expect(columns.find((column) => column.path === path)).toEqual({ path, label, kind });
});
