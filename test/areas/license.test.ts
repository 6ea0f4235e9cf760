import { describe, expect, test } from 'vitest';
import { ask } from '../interface/service.ts';
import { openWorld } from '../support/sandbox.ts';

const world = await openWorld();

describe('license usage', () => {
  const day = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
  /** The first line of the file of the service. */
  const keyIn = (file: string) => /^License Key,(.+)$/m.exec(file)?.[1] as string;

  test('lists the billable users of each day', async () => {
    const rows = await world.json('license usage');
    expect(rows).toHaveLength(30);
    for (const row of rows)
      expect(row).toEqual({ date: expect.stringMatching(day), billable_users: expect.any(Number) });
    const { out } = await world.run('license usage --csv');
    expect(out.split('\r\n')[0]).toBe('date,billable_users');
    const hidden = 'license usage --fields billable_users --sort-by billable_users --limit 1';
    expect((await world.run(hidden)).code).toBe(2);
    const top = await world.run('license usage --sort-by -billable_users -o tsv --no-header');
    const counts = top.out
      .trim()
      .split('\n')
      .map((line) => Number(line.split('\t')[1]));
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
  });

  test('prints the license key in no format, and only the file contains it', async () => {
    const { out: file } = await world.run('license usage --raw');
    expect(file).toMatch(/^Date,Billable User Count$/m);
    const key = keyIn(file);
    expect(key.length).toBeGreaterThan(10);
    for (const format of ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml'])
      for (const more of ['', '--verbose', '--trace', '--fields date', '--jq .']) {
        const { out, err, code } = await world.run(`license usage -o ${format} ${more}`);
        expect([format, more, code]).toEqual([format, more, 0]);
        expect(out + err).not.toContain(key);
      }
    expect((await world.run('license usage -o raw')).out).toContain(key);
  });

  test('rejects --raw with another format, and fields of a file', async () => {
    expect((await world.run('license usage --raw --json')).code).toBe(2);
    expect((await world.run('license usage --raw --fields date')).code).toBe(2);
  });

  test.each([
    ['another file', 'a,b\n1,2\n'],
    [
      'a row that is not a date and a count',
      'License Key,secret-key\n\nDate,Billable User Count\nsecret-key\n',
    ],
  ])('reports %s without quoting it', async (_, body) => {
    const { code, out, err } = await ask('license usage', { body, headers: [['content-type', 'text/csv']] });
    expect([code, out]).toEqual([8, '']);
    expect(err).not.toContain('secret-key');
    expect(err).toContain('hint: use --raw to print it');
  });

  test('says that a file without days has none', async () => {
    const body = 'License Key,x\r\n\r\n"Date","Billable User Count"\r\n';
    const { code, out, err } = await ask('license usage', { body });
    expect([code, out, err]).toEqual([0, '', 'No days found.\n']);
  });
});
