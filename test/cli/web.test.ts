import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { areas } from '../../src/api/index.ts';
import { loadArea } from '../../src/cli/areas.ts';
import { browserPrograms } from '../../src/cli/call/web.ts';
import { ask, folderWith, host, refused } from '../interface/service.ts';

const page = `${host}/mia`;
const user = (web_url: unknown) => ({ body: JSON.stringify({ id: 1, web_url }) });

/** A program that records its arguments and environment, then exits. */
async function recorder(exitCode = 0) {
  const folder = await folderWith();
  const program = join(folder, 'browser');
  const record = join(folder, 'record');
  await writeFile(
    program,
    `#!/bin/sh\n{ printf '<%s>\\n' "$@"; export -p; } > '${record}'\nexit ${exitCode}\n`,
  );
  await chmod(program, 0o755);
  const read = () => readFile(record, 'utf8').catch(() => '');
  return {
    program,
    read,
    args: async () => [...(await read()).matchAll(/^<(.*)>$/gm)].map(([, arg]) => arg),
  };
}

const open = (web_url: unknown, env: Record<string, string>, terminal?: number) =>
  ask('users get 1 --web', user(web_url), { env, terminal });

test('only prints the URL in a pipe; prints and opens it on a terminal', async () => {
  const { program, args } = await recorder();
  const piped = await open(page, { BROWSER: program });
  expect([piped.code, piped.out, piped.err, await args()]).toEqual([0, `${page}\n`, '', []]);
  const { code, out, err } = await open(page, { BROWSER: program }, 80);
  expect([code, out, err]).toEqual([0, `${page}\n`, 'Opened in the browser.\n']);
  expect(await args()).toEqual([page]);
});

test('prints the URL of what a write returns', async () => {
  const created = { status: 201, body: JSON.stringify({ id: 7, web_url: page }) };
  const { code, out, requests } = await ask('pipelines run main --web -p 1', created);
  expect([code, out, requests.map(({ method }) => method)]).toEqual([0, `${page}\n`, ['POST']]);
});

test('passes the URL as one argument, without a shell and without tokens', async () => {
  const { program, args, read } = await recorder();
  await open(
    `${host}/$(touch x);'"\`&|a b\u001b]0;t\u0007`,
    { BROWSER: program, SVC_JOB_TOKEN: 'svcjob-1' },
    80,
  );
  const [arg = '', ...more] = await args();
  expect(more).toEqual([]);
  expect(arg).toMatch(/^https:\/\/host\.example\/\$\(touch%20x\);[\x21-\x7e]*$/);
  expect(await read()).not.toMatch(/svcpat|svcjob/);
});

test.each([
  ['nothing can open it', { BROWSER: '/nonexistent/browser' }],
  ['there is no display', {}],
])('says so and exits with 0 if %s', async (_, env) => {
  const { code, out, err } = await open(page, env, 80);
  expect([code, out, err]).toEqual([0, `${page}\n`, 'No browser found. Open the URL yourself.\n']);
});

test('tries the next program of BROWSER after one that fails', async () => {
  const [bad, good] = [await recorder(3), await recorder()];
  const { err } = await open(page, { BROWSER: `${bad.program}:/nonexistent/x:${good.program} --new %s` }, 80);
  expect(err).toBe('Opened in the browser.\n');
  expect([await bad.args(), await good.args()]).toEqual([[page], ['--new', page]]);
});

test('does not open a page of another host', async () => {
  const { program, args } = await recorder();
  const { code, out, err } = await open('https://evil.example/x', { BROWSER: program }, 80);
  expect([code, out]).toEqual([0, 'https://evil.example/x\n']);
  expect([err, await args()]).toEqual(['Not opened: the page is not on host.example.\n', []]);
});

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'ftp://host.example/x',
  '/relative',
  '-flag',
  'https://user:secret@host.example/',
  '',
  null,
  7,
])('rejects %j as a web page', async (text) => {
  const { program, args } = await recorder();
  const { code, out, err } = await open(text, { BROWSER: program }, 80);
  expect([code, out, await args()]).toEqual([8, '', []]);
  expect(err).toMatch(/no http or https URL of a web page/);
});

test.each(['--json', '-o yaml', '--fields id', '--jq .id', '--all-fields'])(
  'rejects %s beside it before sending',
  (flags) => refused(`users get 1 --web ${flags}`, [/--web and .* cannot be used together/]),
);

describe('a command without a web page', () => {
  test('rejects the flag', () => refused('users list --web', ['svc users list does not accept --web']));
  test('is every command that does not return an object with web_url', async () => {
    for (const entry of areas)
      for (const { endpoints, flags, name } of (await loadArea(entry)).commands) {
        const shows = endpoints.some(
          ({ returns }) => returns.kind === 'object' && 'web_url' in returns.fields,
        );
        expect([entry.name, name, flags.some((flag) => flag.name === 'web')]).toEqual([
          entry.name,
          name,
          shows,
        ]);
      }
  });
});

test('--dry-run prints the request', async () => {
  const { out, requests } = await ask('users get 1 --web --dry-run');
  expect([JSON.parse(out).method, requests.length]).toEqual(['GET', 0]);
});

test.each([
  [{}, 'darwin', ['open|u']],
  [{}, 'win32', ['rundll32|url.dll,FileProtocolHandler|u']],
  [{}, 'linux', []],
  [{ DISPLAY: ':0' }, 'linux', ['xdg-open|u', 'wslview|u', 'x-www-browser|u']],
  [{ BROWSER: 'firefox' }, 'linux', ['firefox|u']],
  [{ BROWSER: 'a %s:b' }, 'linux', ['a|u', 'b|u']],
  [{ BROWSER: 'C:\\b.exe' }, 'win32', ['C:\\b.exe|u']],
] as const)('with %j on %s, tries %j', (env, platform, expected) => {
  const programs = browserPrograms('u', env, platform);
  expect(programs.map(([program, args]) => [program, ...args].join('|'))).toEqual(expected);
});
