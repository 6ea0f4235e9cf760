// Errors of the built program: on a terminal, in a pipe, and where no person reads them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome, stackTrace, svc } from '../support/process.ts';
import { json, type Service, startService } from '../support/service.ts';
import { hasTerminals, onTerminal, quoted } from '../support/terminal.ts';

let service: Service;
let home: Home;
let env: Record<string, string>;
const long =
  'the value of this variable does not fulfill the requirements for masking, because it is too short';
const failing = ['variables', 'get', 'KEY', '-p', '1'];

beforeAll(async () => {
  service = await startService((req, res) => {
    if (req.url?.endsWith('/jobs'))
      return json(res, [{ id: 1 }], { link: `<${service.origin}/x>; rel="next"` });
    res.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ message: long }));
  });
  home = await makeHome();
  env = { SVC_BASE_URL: service.origin, SVC_TOKEN: 'sesame-0815' };
});
afterAll(async () => {
  await service.close();
  await home.remove();
});

describe.skipIf(!hasTerminals)('on a terminal', () => {
  it.each([
    [40, 24],
    [80, 24],
    [120, 40],
  ] as const)('an error is colored and wrapped between words at %i columns', async (columns, rows) => {
    const { code, lines, seen } = await onTerminal(home, quoted(failing), env, [columns, rows]).end();
    expect(code).toBe(5);
    expect(seen).toContain('\u001b[31;1merror:\u001b[0m the value');
    expect(seen).toContain('\u001b[36mhint:\u001b[0m check');
    const message = lines.slice(
      0,
      lines.findIndex((line) => line.includes('GET http')),
    );
    expect(message.map((line) => line.slice('error: '.length)).join(' ')).toBe(long);
    expect(message.slice(1).every((line) => /^ {7}\S/.test(line))).toBe(true);
  });

  it('an error is text with --json, and JSON with SVC_ERRORS=json', async () => {
    const text = await onTerminal(home, quoted([...failing, '--json']), { ...env, NO_COLOR: '1' }).end();
    expect(text.lines[0]).toMatch(/^error: the value/);
    expect(text.seen).not.toContain('\u001b');
    const asJson = await onTerminal(home, quoted([...failing, '--json']), {
      ...env,
      SVC_ERRORS: 'json',
    }).end();
    expect(asJson.seen).toMatch(/^\{"error":\{"kind":"not_found"/);
  });

  it('a raw list ends its line before the note', async () => {
    const { lines } = await onTerminal(home, quoted(['jobs', 'list', '-p', '1', '-o', 'raw']), env).end();
    expect(lines).toEqual(['[{"id":1}]', expect.stringMatching(/^Showing 1 job/)]);
  });
});

it('in a pipe, lines are neither colored nor wrapped', async () => {
  const { code, err } = await svc(home, failing, { env: { ...env, COLUMNS: '40' } });
  expect(code).toBe(5);
  expect(err.split('\n')[0]).toBe(`error: ${long}`);
  expect(err).not.toContain('\u001b');
});

it.each([
  ['an unknown command', ['nope'], {}],
  ['an unknown flag', ['jobs', 'list', '--nope'], {}],
  ['no base URL', ['jobs', 'list', '-p', '1'], { SVC_BASE_URL: '' }],
  ['no folder', ['login', '--token-file', '/nope'], {}],
  [
    'a folder for completion that cannot exist',
    ['completion', 'install', 'bash', '--yes'],
    { XDG_DATA_HOME: '/proc/x' },
  ],
  [
    'a sandbox folder that cannot exist',
    ['--sandbox', 'jobs', 'list', '-p', '1'],
    { XDG_STATE_HOME: '/proc/x' },
  ],
  [
    'a refused connection',
    ['jobs', 'list', '-p', '1', '--retries', '0'],
    { SVC_BASE_URL: 'http://127.0.0.1:1' },
  ],
  ['a jq program', ['jobs', 'list', '-p', '1', '--jq', '.['], {}],
])('%s is one error with a hint and no stack trace', async (_, argv, more) => {
  const { code, out, err } = await svc(home, argv, { env: { ...env, ...more } });
  expect([code > 0, out]).toEqual([true, '']);
  expect(err).toMatch(/^error: [^\n]{1,93}\n/);
  expect(err).toMatch(/^hint: /m);
  expect(err.match(/^error: /gm)).toHaveLength(1);
  expect(err).not.toMatch(stackTrace);
  expect(err).not.toMatch(/\bE[A-Z]{4,}\b/);
});
