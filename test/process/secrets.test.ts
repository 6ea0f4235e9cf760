// Places that must not contain a token: process arguments, files that other users can read, debug output.
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesIn } from '../support/folders.ts';
import { executable, sharedHome, start, svc, until } from '../support/process.ts';
import { json, sharedService } from '../support/service.ts';
import { svc as runHere } from '../support/svc.ts';

const token = 'svcpat-8HxP3vQyE6mW';
const value = 'sesame-0815-4711';
const home = await sharedHome();
const service = await sharedService(async (req, res) => {
  if (req.url?.includes('/silent/')) return;
  if (req.url?.includes('/pieces/')) {
    // Sends the token back, one byte at a time.
    res.writeHead(400, { 'content-type': 'application/json' });
    for (const byte of Buffer.from(JSON.stringify({ message: `no: ${token} and ${value}` }))) {
      res.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    res.end();
    return;
  }
  if (req.url?.endsWith('/personal_access_tokens/self')) return json(res, { id: 1, scopes: ['api'] });
  json(res, { id: 1, username: 'olivia', name: 'Olivia' });
});

const env = { SVC_BASE_URL: service.origin, SVC_TOKEN: token };

// The runtime of an executable has other variables, and prints less.
const debug = { NODE_DEBUG: '*', BUN_CONFIG_VERBOSE_FETCH: 'curl' };

describe('debug output of the runtime', () => {
  it.each(['', 'http://proxy.invalid:1'])('never contains the token, with the proxy %j', async (proxy) => {
    const proxied = proxy === '' ? {} : { SVC_BASE_URL: 'http://host.invalid', HTTP_PROXY: proxy };
    const argv = ['jobs', 'list', '-p', '1', '--retries', '0'];
    const { err } = await svc(home, argv, { env: { ...env, ...proxied, ...debug } });
    if (!executable) expect(err).toMatch(/^(HTTP|UNDICI|NET) \d+:/m);
    expect(err).not.toContain(token);
  });
});

describe('debug output of the runtime about child processes', () => {
  it('never contains a token of the environment', async () => {
    await svc(home, ['profiles', 'set', 'base_url', service.origin, '--profile', 'command']);
    await svc(home, ['profiles', 'set', 'token_command', 'echo x', '--profile', 'command']);
    const { code, err } = await svc(home, ['api', 'GET', 'user', '--profile', 'command'], {
      env: {
        SVC_JOB_TOKEN: token,
        CI_JOB_TOKEN: `${token}-ci`,
        HTTPS_PROXY: `http://user:${value}@proxy.invalid`,
        NODE_DEBUG: 'child_process',
      },
    });
    if (!executable) {
      expect(err).toMatch(/^CHILD_PROCESS \d+: spawn/m);
      expect(err).toContain('SVC_JOB_TOKEN');
    }
    expect({ code, seen: [token, value].filter((one) => err.includes(one)) }).toEqual({ code: 0, seen: [] });
    await svc(home, ['profiles', 'remove', 'command', '--yes']);
  });
});

describe.skipIf(!existsSync('/proc/self/cmdline'))('the arguments of a process', () => {
  const argumentsOf = (pid: number | undefined) => readFile(`/proc/${pid}/cmdline`, 'utf8');

  it('of svc never contain the token', async () => {
    const started = start(home, ['jobs', 'list', '-p', 'silent'], { env });
    await until('the request', () => service.arrived.some((line) => line.includes('/silent/')));
    const words = await argumentsOf(started.child.pid);
    started.child.kill('SIGTERM');
    await started.ended;
    expect(words).toContain('jobs');
    expect(words).not.toContain(token);
  });

  it('of a background sandbox never contain its tokens', async () => {
    const { out } = await svc(home, ['sandbox', 'start', '--detach', '--memory', '--json'], { env });
    const { pid } = JSON.parse(out) as { pid: number };
    const words = await argumentsOf(pid);
    await svc(home, ['sandbox', 'stop']);
    expect(words).toContain('sandbox');
    expect(words).not.toContain(token);
    expect(words).not.toMatch(/sandbox-(admin|owner|job)/);
  });

  it('of the command of sandbox exec never contain its new token', async () => {
    const look =
      'for f in /proc/[0-9]*/cmdline; do tr "\\0" " " < $f 2>/dev/null | grep -F -- "$SVC_TOKEN"; done; echo looked';
    const { code, out } = await svc(home, ['sandbox', 'exec', '--', 'sh', '-c', look]);
    expect(code).toBe(0);
    // grep itself has the token as an argument.
    expect(out.split('\n').filter((line) => line !== '' && !line.includes('grep'))).toEqual(['looked']);
  });
});

describe('a file', () => {
  it('with the token is only the profile file, which no other user can read', async () => {
    const line = ['auth', 'login', '--token-stdin', '--base-url', service.origin];
    const login = await svc(home, line, { stdin: `${token}\n` });
    expect({ code: login.code, seen: (login.out + login.err).includes(token) }).toEqual({
      code: 0,
      seen: false,
    });
    await svc(home, ['variables', 'create', 'KEY', value, '-p', '1', '--trace']);
    await svc(home, ['auth', 'status']);
    await svc(home, ['--sandbox', 'variables', 'list', '-p', '100']);
    const holding: string[] = [];
    for (const file of await filesIn(home.path)) {
      const content = await readFile(file);
      if (content.includes(token) || content.includes(value)) holding.push(file);
    }
    expect(holding).toEqual([home.profiles]);
    expect((await stat(home.profiles)).mode & 0o777).toBe(0o600);
  });

  it('of the sandbox is readable by no other user', async () => {
    await svc(home, ['--sandbox', 'variables', 'set', 'KEY', value, '-p', '100']);
    const folder = join(home.path, 'state', 'svc', 'sandbox');
    expect((await stat(folder)).mode & 0o077).toBe(0);
  });
});

describe('a token that the service sends back in pieces', () => {
  it.each([[[]], [['--trace']], [['--json']], [['--trace', '--json']]])(
    'is masked with the flags %j',
    async (flags) => {
      const argv = ['variables', 'create', 'KEY', value, '-p', 'pieces', ...flags];
      const { code, out, err } = await runHere(argv, { env });
      expect(code).toBe(6);
      expect(err).toContain('no: *** and ***');
      expect(out + err).not.toContain(token);
      expect(out + err).not.toContain(value);
    },
  );
});
