// A write that requires a CAPTCHA, up to the repeated command (specification section 7).
import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';

const create =
  'snippets create --title offer --visibility public -p 100 --file file_path=a.txt,content=buy --json';

test('the error has the flags that let the repeated command succeed', async () => {
  const world = await openWorld({ spam: 'captcha' });
  const refused = await world.run(create);
  expect([refused.code, refused.out]).toEqual([6, '']);
  const { error } = JSON.parse(refused.err) as { error: { status: number; hint: string } };
  expect(error.status).toBe(409);
  const [flags = '', id = ''] = /--captcha-response <response> --spam-log-id (\d+)/.exec(error.hint) ?? [];
  const solved = flags.replace('<response>', '"a b=c"');
  expect((await world.run(`${create} ${solved.replace(id, '999999')}`)).code).toBe(6);
  const { code, out, requests } = await world.run(`${create} ${solved}`);
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ title: 'offer' })]);
  const sent = (headers: readonly (readonly [string, string])[] = []) =>
    headers
      .filter(([name]) => /captcha|spam/i.test(name))
      .map(([name, value]) => [name.toLowerCase(), value]);
  expect(sent(requests[0]?.headers)).toEqual([
    ['x-service-captcha-response', 'a b=c'],
    ['x-service-spam-log-id', id],
  ]);
  expect(sent(refused.requests[0]?.headers)).toEqual([]);
});
