/** The inputs that an executable ignores, and the files that it leaves. `npm run test:executable` sets the executable. */
import { mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { executable, sharedHome, svc } from '../support/process.ts';
import { json, sharedService } from '../support/service.ts';

const token = 'svcpat-4Rt7Lm2QwXcV';
const planted = 'planted code ran';

const home = await sharedHome();
const service = await sharedService((_, res) => json(res, { id: 1, username: 'olivia' }));

describe.runIf(executable)('the executable', () => {
  const folder = join(home.path, 'work');
  const code = join(folder, 'planted.js');
  beforeAll(async () => {
    await mkdir(folder);
    await writeFile(code, `console.log(${JSON.stringify(planted)});`);
  });

  const user = (env: Readonly<Record<string, string>>) =>
    svc(home, ['api', 'GET', 'user'], {
      cwd: folder,
      env: { SVC_BASE_URL: service.origin, SVC_TOKEN: token, ...env },
    });

  test('reads no settings of its runtime from the current folder', async () => {
    const files = {
      '.env': `SVC_BASE_URL=${service.origin}\nSVC_TOKEN=${token}\n`,
      '.env.local': `SVC_BASE_URL=${service.origin}\nSVC_TOKEN=${token}\n`,
      '.env.production': `SVC_BASE_URL=${service.origin}\nSVC_TOKEN=${token}\n`,
      'bunfig.toml': `preload = [${JSON.stringify(code)}]\n`,
      'package.json': '{ "imports": { "node:fs": "./planted.js" } }',
      'tsconfig.json': '{ "compilerOptions": { "paths": { "*": ["./planted.js"] } } }',
    };
    const place = await mkdtemp(join(home.path, 'settings-'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text);
    const before = service.arrived.length;
    const { code: exit, out, err } = await svc(home, ['api', 'GET', 'user'], { cwd: place });
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err).not.toContain(planted);
    expect(service.arrived.length).toBe(before);
  });

  test.each([
    ['BUN_OPTIONS', '--preload='],
    ['BUN_OPTIONS', '--require='],
    ['BUN_OPTIONS', '--import='],
    ['NODE_OPTIONS', '--require='],
    ['NODE_OPTIONS', '--import='],
    ['BUN_INSPECT_PRELOAD', ''],
  ])('runs no code from a file that %s=%s names', async (name, flag) => {
    const { out, err } = await user({ [name]: `${flag}${code}` });
    expect(out + err).not.toContain(planted);
  });

  test.each([
    ['BUN_INSPECT', '127.0.0.1:0'],
    ['BUN_INSPECT_CONNECT_TO', '1'],
    ['BUN_OPTIONS', '--inspect=127.0.0.1:0'],
    ['BUN_CONFIG_VERBOSE_FETCH', 'curl'],
    ['NODE_DEBUG', '*'],
  ])('neither opens a debugger nor prints the token with %s=%s', async (name, value) => {
    const { out, err } = await user({ [name]: value });
    expect(out + err).not.toMatch(/ws:\/\/|listening/i);
    expect(out + err).not.toContain(token);
  });

  test('writes no temporary files', async () => {
    const temporary = join(home.path, 'temporary');
    await mkdir(temporary);
    const jq = ['--sandbox', 'jobs', 'list', '-p', 'acme/rocket', '--jq', 'length'];
    const env = { TMPDIR: temporary, BUN_TMPDIR: temporary, TEMP: temporary, TMP: temporary };
    expect(await svc(home, jq, { env })).toMatchObject({ code: 0, out: '20\n' });
    expect(await readdir(temporary)).toEqual([]);
  });

  test('needs no PATH, and no temporary folder that exists', async () => {
    const env = { PATH: '', TMPDIR: '/nonexistent', BUN_TMPDIR: '/nonexistent' };
    expect(await user(env)).toMatchObject({ code: 0, err: '' });
  });
});
