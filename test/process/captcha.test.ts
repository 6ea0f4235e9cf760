// A write that requires a CAPTCHA, up to the repeated command (specification section 7).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox, type Sandbox, type SandboxServer, serve } from '../../src/sandbox/index.ts';
import { type Home, makeHome, svc } from '../support/process.ts';
import { json, type Service, startService } from '../support/service.ts';

let home: Home;
let sandbox: Sandbox;
let served: SandboxServer;
beforeAll(async () => {
  home = await makeHome();
  sandbox = await openSandbox({ memory: true }, { spam: 'captcha' });
  served = await serve(sandbox, {});
});
afterAll(async () => {
  await served.close();
  await sandbox.close();
  await home.remove();
});

const create = [
  ...['snippets', 'create', '--title', 'offer', '--visibility', 'public', '-p', '100'],
  ...['--file', 'file_path=a.txt,content=buy', '--json'],
];
const run = (argv: readonly string[], url: string) =>
  svc(home, argv, { env: { SVC_BASE_URL: url, SVC_TOKEN: 'sandbox-owner' } });

describe('--captcha-response and --spam-log-id', () => {
  it('are shown in the error and let the repeated command succeed', async () => {
    const refused = await run(create, served.url);
    expect(refused.code).toBe(6);
    expect(refused.out).toBe('');
    const { error } = JSON.parse(refused.err) as { error: { status: number; hint: string } };
    expect(error.status).toBe(409);
    const [, id = ''] = /--captcha-response <response> --spam-log-id (\d+)/.exec(error.hint) ?? [];
    expect(id).toMatch(/^\d+$/);
    const wrong = await run(
      [...create, '--captcha-response', 'solved', '--spam-log-id', '999999'],
      served.url,
    );
    expect(wrong.code).toBe(6);
    const { code, out, err } = await run(
      [...create, '--captcha-response', 'solved', '--spam-log-id', id],
      served.url,
    );
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/^Created snippet .*\n$/) });
    expect(JSON.parse(out)).toMatchObject({ title: 'offer' });
  });

  it('are shown in a hint on the terminal', async () => {
    const { code, err } = await run(
      create.filter((word) => word !== '--json'),
      served.url,
    );
    expect(code).toBe(6);
    expect(err).toMatch(/^error: .+\n/);
    expect(err).toMatch(/^hint: solve the CAPTCHA, .*--captcha-response <response> --spam-log-id \d+$/m);
  });

  it('are sent as the headers of section 7 only if given', async () => {
    const service: Service = await startService((_, res) => json(res, { id: 1 }));
    try {
      await run([...create, '--captcha-response', 'a b=c', '--spam-log-id', '42'], service.origin);
      await run(create, service.origin);
      const [given, without] = service.requests.map(({ headers }) => headers);
      expect(given).toMatchObject({ 'x-service-captcha-response': 'a b=c', 'x-service-spam-log-id': '42' });
      expect(without).not.toHaveProperty('x-service-captcha-response');
      expect(without).not.toHaveProperty('x-service-spam-log-id');
    } finally {
      await service.close();
    }
  });
});
