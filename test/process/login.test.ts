// svc login in a real terminal: what it shows, what it saves, and the state of the terminal afterwards.
import { execFileSync, spawn } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  command,
  type Home,
  makeHome,
  type Started,
  stackTrace,
  start,
  svc,
  until,
} from '../support/process.ts';

let home: Home;
let sandbox: Started;
let url: string;

beforeAll(async () => {
  home = await makeHome();
  sandbox = start(home, ['sandbox', 'start', '--memory', '--json']);
  await until('the sandbox', () => sandbox.out().includes('"base_url"'));
  url = JSON.parse(sandbox.out()).base_url;
});
afterAll(async () => {
  sandbox.child.kill('SIGTERM');
  await sandbox.ended;
  await home.remove();
});

// `script` of util-linux runs the program in a new terminal. Without it, prompts cannot be tested.
const hasScript = (() => {
  try {
    return /util-linux/.test(execFileSync('script', ['--version'], { encoding: 'utf8' }));
  } catch {
    return false;
  }
})();

it.skipIf(!hasScript)(
  'asks again after a bad token, saves a good one with a project, and hides both',
  async () => {
    const words = [...command, 'login', url].map((word) => `'${word}'`).join(' ');
    const line = `echo "before=$(stty -g)"; ${words}; echo "code=$?"; echo "after=$(stty -g)"`;
    const child = spawn('script', ['-qefc', line, '/dev/null'], {
      env: { ...home.env, TERM: 'xterm', SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let seen = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
    });
    const closed = new Promise((resolve) => child.once('close', resolve));
    const prompts = (text: string) => seen.split(text).length - 1;
    await until('the prompt', () => prompts('(hidden): ') === 1);
    child.stdin.write('sesame-0815\r');
    await until('the second prompt', () => prompts('(hidden): ') === 2);
    child.stdin.write('sandbox-maintainer\r');
    await until('the project', () => prompts('Default project') > 0);
    child.stdin.write('acme/rocket\r');
    await until('its end', () => /after=\S+/.test(seen));
    child.stdin.end();
    await closed;
    expect(seen).toContain('code=0');
    expect(seen).toContain('This is your sandbox. To see its tokens: svc sandbox status');
    expect(seen).toContain('Token rejected: 401 Unauthorized. Try again, or press Ctrl-C to stop.');
    expect(seen).toMatch(/✓ Logged in to 127\.0\.0\.1:\d+ as mia \(user 3\), with profile default/);
    expect(seen).not.toMatch(/sesame|sandbox-maintainer/);
    expect(seen).not.toMatch(stackTrace);
    const modes = [...seen.matchAll(/(?:before|after)=(\S+)/g)].map(([, mode]) => mode);
    expect(modes).toHaveLength(2);
    expect(modes[1]).toBe(modes[0]);
    expect((await stat(home.profiles)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(home.profiles, 'utf8'))).toEqual({
      current: 'default',
      profiles: {
        default: {
          base_url: url,
          token: 'sandbox-maintainer',
          origin: url,
          project: 'acme/rocket',
          user: 'mia (user 3)',
          scopes: 'api',
        },
      },
    });
    expect((await svc(home, ['jobs', 'list', '-L', '1'])).code).toBe(0);
    expect((await svc(home, ['whoami'])).out).toMatch(/^mia \(user 3\) on 127\.0\.0\.1:\d+ \(access token /);
  },
);
