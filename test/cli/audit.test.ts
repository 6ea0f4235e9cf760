/** The audit log: a line before and a line after each write. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { ask, folderWith } from '../interface/service.ts';
import { exampleFiles, openWorld } from '../support/sandbox.ts';
import { type Canned, canned, jsonLines } from '../support/svc.ts';

const write = 'variables create KEY s3cret-word -p acme/rocket';
const created: Canned = { status: 201, body: '{"key":"KEY"}' };

const logIn = async () => join(await folderWith(), 'audit.log');
async function linesOf(log: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(log, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return jsonLines(text);
}

test('records the intent before the request and the status after it', async () => {
  const log = await logIn();
  let before: Record<string, unknown>[] = [];
  const transport = (origin: string, options: never) =>
    canned(async () => {
      before = await linesOf(log);
      return created;
    })(origin, options);
  const ran = await ask(write, created, { env: { SVC_AUDIT_LOG: log }, transport: transport as never });
  expect(ran.code, ran.err).toBe(0);
  const [intent, result, ...others] = await linesOf(log);
  const common = {
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    command: 'variables create',
    method: 'POST',
    url: 'https://host.example/api/v4/projects/acme%2Frocket/variables',
    target: 'projects/acme/rocket/variables',
  };
  expect(before).toEqual([{ ...common, phase: 'intent' }]);
  expect(intent).toEqual(before[0]);
  expect(result).toEqual({ ...common, phase: 'result', status: 201 });
  expect(result?.['id']).toBe(intent?.['id']);
  expect(others).toEqual([]);
  expect((await stat(log)).mode & 0o777).toBe(0o600);
});

test('appends to an existing log, also a relative path', async () => {
  const cwd = await folderWith({ 'audit.log': '{"earlier":true}\n' });
  for (let run = 0; run < 2; run++) await ask(write, created, { cwd, env: { SVC_AUDIT_LOG: 'audit.log' } });
  expect(await linesOf(join(cwd, 'audit.log'))).toHaveLength(5);
});

test.each([
  ['a read', 'variables list -p 1'],
  ['a dry run', `${write} --dry-run`],
  ['a curl command', `${write} --curl`],
  ['a write that read-only mode refuses', `${write} --read-only`],
  ['a write that a check refuses', 'variables create "not a key" x -p 1'],
])('records nothing for %s', async (_name, line) => {
  const log = await logIn();
  await ask(line, { body: '[]' }, { env: { SVC_AUDIT_LOG: log } });
  expect(existsSync(log)).toBe(false);
});

test('a request without a response has a result without status', async () => {
  const log = await logIn();
  const refuse = () => {
    throw new Failure('network', 'connection refused');
  };
  const ran = await ask(write, refuse, { env: { SVC_AUDIT_LOG: log } });
  expect(ran.code).toBe(3);
  const [intent, result] = await linesOf(log);
  expect([intent?.['phase'], result?.['phase']]).toEqual(['intent', 'result']);
  expect(result).not.toHaveProperty('status');
});

test('records the status of a rejected write, and of svc api', async () => {
  const log = await logIn();
  const line = 'api DELETE projects/1/variables/KEY?password=s3cret-word';
  const ran = await ask(line, { status: 403 }, { env: { SVC_AUDIT_LOG: log } });
  expect(ran.code).toBe(4);
  const [, result] = await linesOf(log);
  expect(result).toMatchObject({
    command: 'api',
    method: 'DELETE',
    status: 403,
    url: 'https://host.example/api/v4/projects/1/variables/KEY?password=***',
    target: 'projects/1/variables/KEY',
  });
});

test('records each write of a task', async () => {
  const world = await openWorld();
  const log = await logIn();
  const file =
    'svc: 1\nproject: acme/rocket\nvariables: [{ key: A1, value: s3cret-word }, { key: A2, value: b }]\n';
  const ran = await world.run('apply -f - --yes', { stdin: file, env: { SVC_AUDIT_LOG: log } });
  expect(ran.code, ran.err).toBe(0);
  const lines = await linesOf(log);
  expect(lines.map(({ phase, command, status }) => [phase, command, status])).toEqual([
    ['intent', 'apply', undefined],
    ['result', 'apply', 201],
    ['intent', 'apply', undefined],
    ['result', 'apply', 201],
  ]);
  expect(JSON.stringify(lines)).not.toContain('s3cret');
});

/** The path of a link to a file. */
async function linkTo(target: string): Promise<string> {
  const log = join(await folderWith({ 'notes.txt': 'mine\n' }), 'audit.log');
  await symlink(target, log);
  return log;
}

/** The path of a pipe. */
async function pipe(): Promise<string> {
  const log = await logIn();
  execFileSync('mkfifo', [log]);
  return log;
}

test.each([
  ['a full disk', () => '/dev/full', 'the disk is full'],
  ['a link', () => linkTo('notes.txt'), 'it is a symbolic link'],
  ['a link to nothing', () => linkTo('nothing'), 'it is a symbolic link'],
  ['a link to a device', () => linkTo('/dev/null'), 'it is a symbolic link'],
  ['a pipe', () => pipe(), 'it is not a regular file'],
  ['a folder', () => folderWith(), 'it is a folder'],
  ['a missing folder', async () => join(await folderWith(), 'none', 'log'), 'no such file or directory'],
  ['standard output', () => '-', 'standard output has the result'],
])('%s stops the write before it is sent', async (_name, path, reason) => {
  const log = await path();
  const ran = await ask(write, created, { env: { SVC_AUDIT_LOG: log } });
  expect([ran.code, ran.requests, ran.out]).toEqual([2, [], '']);
  expect(ran.err).toBe(
    `error: SVC_AUDIT_LOG: cannot write the audit log ${resolve('/', log)}: ${reason}\nhint: request not sent\n`,
  );
});

test('a read works with a log that cannot be written', async () => {
  const cwd = await folderWith(exampleFiles);
  const ran = await ask('variables list -p 1 --json', { body: '[]' }, { cwd, env: { SVC_AUDIT_LOG: cwd } });
  expect(ran.code).toBe(0);
});
