/** Large values are limited before they are read. */
import { createHash, randomBytes } from 'node:crypto';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { command, sharedHome, svc } from '../support/process.ts';
import { json, serve } from '../support/service.ts';
import { canned, svc as runHere, words } from '../support/svc.ts';

const home = await sharedHome();
const file = (name: string) => join(home.path, name);

beforeAll(async () => {
  // A sparse file takes no space.
  const handle = await open(file('600MB'), 'w');
  await handle.truncate(600_000_000);
  await handle.close();
});

/** No server listens here, so a command that sends a request exits with 3. */
const nowhere = '--base-url https://127.0.0.1:1 --retries 0';

describe('rejects a value that is too large before sending', () => {
  test.each([
    ['files create f --branch main --commit-message m --content @600MB -p 1', '--content', '100 MiB'],
    ['variables set KEY @600MB -p 1', '<value>', '10 MiB'],
    ['variables create --data @600MB -p 1', '--data', '100 MiB'],
    ['snippets create --title t --visibility private --from-file 600MB -p 1', '--from-file', '64 MiB'],
    ['api POST /user --field a=@/dev/zero', 'a: /dev/zero', '100 MiB'],
    ['sandbox start --memory --seed-file /dev/zero', '/dev/zero', '100 MiB'],
    ['users list --ca-file /dev/zero', '--ca-file', '16 MiB'],
  ])('%s', async (line, what, limit) => {
    const flags = line.startsWith('sandbox') ? '' : nowhere;
    const { code, err } = await runHere(`${flags} ${line}`, { cwd: home.path });
    expect([code, err]).toEqual([2, expect.stringContaining(what)]);
    expect(err).toMatch(new RegExp(`is larger than [0-9]* ?${limit}`));
  });

  test
    .skipIf(process.platform === 'win32')
    .each([
      'variables set KEY - -p 1',
      'files create f --branch main --commit-message m --content - -p 1',
      'api POST /user --input -',
      'auth login --token-stdin',
    ])('%s, from a standard input without end', async (line) => {
    const args = ['-c', 'exec "$@" < /dev/zero', 'sh', ...command, ...words(`${line} ${nowhere}`)];
    const running = { env: home.env, extendEnv: false, reject: false };
    const { exitCode, stderr } = await execa('sh', args, running);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is larger than')]);
  });

  test('the limit applies to all values together', async () => {
    const handle = await open(file('90MB'), 'w');
    await handle.truncate(90 * 1024 * 1024);
    await handle.close();
    const fields = ['a', 'b', 'c'].map((name) => `--field ${name}=@${file('90MB')}`).join(' ');
    const { code, err } = await runHere(`api POST /user ${fields} ${nowhere}`);
    expect([code, err]).toEqual([2, expect.stringContaining('is larger than 256 MiB')]);
  });
});

describe('a large value within the limits', () => {
  test.each([
    ['NUL characters, six times longer in JSON', () => Buffer.alloc(8 * 1024 * 1024)],
    ['random bytes, sent in base64', () => randomBytes(8 * 1024 * 1024)],
  ])('is sent unchanged: %s', async (_, make) => {
    const bytes = make();
    await writeFile(file('content'), bytes);
    const name = createHash('sha256').update(bytes).digest('hex');
    const create = `--sandbox files create ${name} --branch main --commit-message m -p acme/rocket`;
    const made = await svc(home, words(`${create} --content @${file('content')}`));
    expect([made.code, made.err]).toEqual([0, `Created file ${name} on branch main in acme/rocket\n`]);
    const target = file(`${name}.out`);
    await svc(home, words(`--sandbox files raw ${name} --ref main --output-file ${target} -p acme/rocket`));
    expect((await readFile(target)).equals(bytes)).toBe(true);
  });

  test('is not printed by --dry-run and --curl', async () => {
    await writeFile(file('content'), Buffer.alloc(40 * 1024 * 1024));
    for (const how of ['--dry-run', '--curl']) {
      const line = `files create f --branch main --commit-message m --content @${file('content')} -p 1 ${how}`;
      const { code, err } = await runHere(`${line} ${nowhere}`);
      expect([code, err]).toEqual([2, expect.stringContaining('too large to print')]);
    }
  });
});

const cellService = (cell: string) => serve((_, response) => json(response, [{ a: cell }]));

// An executable ignores `NODE_OPTIONS`.
test.skipIf('SVC_BIN' in process.env).each([
  ['csv', '"', 4_000_000, (text: string) => `a\r\n"${text}${text}"\r\n`],
  ['tsv', '\\', 10_000_000, (text: string) => `a\n${text}${text}\n`],
  ['yaml', '\u007f', 5_000_000, (text: string) => `- a: "${text.replaceAll('\u007f', '\\u007f')}"\n`],
])(
  'prints a large cell that is only escaped characters as %s, in little memory',
  async (format, char, length, expected) => {
    const env = {
      SVC_BASE_URL: await cellService(char.repeat(length)),
      SVC_TOKEN: 'x'.repeat(20),
      NODE_OPTIONS: '--max-old-space-size=150',
    };
    const { code, out, err } = await svc(home, ['api', 'GET', 'x', '-o', format], { env });
    expect([code, err]).toEqual([0, '']);
    // A difference would be printed in full.
    expect(out === expected(char.repeat(length))).toBe(true);
  },
);

test.each([
  ['a write', 'variables create KEY v -p 1'],
  ['one of several objects', 'branches get a b -p 1'],
  ['an object that a task reads', 'jobs wait 5 -p 1'],
  ['a page that a task reads', 'variables export -p 1'],
])('rejects the response of %s if it is larger than 100 MiB', async (_, line) => {
  const body = Buffer.alloc(100 * 1024 * 1024 + 1, '{}');
  const transport = canned(() => ({ body }));
  const { err } = await runHere(`${line} ${nowhere}`, { transport, env: { SVC_TOKEN: 'x'.repeat(20) } });
  expect(err).toContain('the response is larger than 100 MiB');
});

test('rejects a cell that is too large for csv', async () => {
  const transport = canned(() => ({ body: JSON.stringify([{ a: 'x'.repeat(20_000_000) }]) }));
  const { code, out, err } = await runHere(`api GET x -o csv ${nowhere}`, { transport });
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(/^error: a value of 20000000 characters is too large for csv\nhint: /);
});
