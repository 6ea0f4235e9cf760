// The progress indicator on a terminal: it is shown for the whole duration of the work and leaves nothing behind.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedHome } from '../support/process.ts';
import { json, sharedService } from '../support/service.ts';
import { hasTerminals, linesOn, onTerminal, quoted } from '../support/terminal.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const pages = 4;
const total = pages * 2;
const home = await sharedHome();
const service = await sharedService(async (req, res) => {
  const url = new URL(req.url ?? '', service.origin);
  if (url.pathname.endsWith('/jobs')) {
    await pause(450);
    const page = Number(url.searchParams.get('page') ?? 1);
    url.searchParams.set('page', String(page + 1));
    const link: Record<string, string> = page < pages ? { link: `<${url.href}>; rel="next"` } : {};
    return json(res, [row(page * 2 - 1), row(page * 2)], { 'x-total': String(total), ...link });
  }
  if (url.pathname.endsWith('/silent')) return;
  if (url.pathname.endsWith('/busy')) return void res.writeHead(429, { 'retry-after': '9' }).end();
  if (url.pathname.endsWith('/bytes')) {
    res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': '40960' });
    for (let chunk = 0; chunk < 4; chunk++) {
      res.write('x'.repeat(10_240));
      await pause(400);
    }
    return void res.end();
  }
  json(res, { id: 5, status: 'started', entity_type: 'project' });
});
const env = { SVC_BASE_URL: service.origin, SVC_TOKEN: 'sesame-0815' };

const row = (id: number) => ({ id, name: `job ${id}`, status: 'failed', stage: 'test', ref: 'main' });
const spinner = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;
const listing = ['jobs', 'list', '-p', '1', '--all'];
const onTty = (argv: readonly string[], more = '', moreEnv: Record<string, string> = {}) =>
  onTerminal(home, `${quoted(argv)} ${more}`, { ...env, ...moreEnv });

describe.skipIf(!hasTerminals).concurrent('the progress indicator', () => {
  it('completes on a terminal of 0 columns', async () => {
    // The spinner would keep the program busy for ever, without a reaction to signals.
    const line = `timeout --foreground --signal=KILL 20 ${quoted([...listing, '--fields', 'id'])}`;
    const { seen } = await onTerminal(home, line, env, [0, 0]).end();
    expect(seen).toMatch(/code=0\r\n$/);
    expect(seen).toMatch(spinner);
    for (let id = 1; id <= total; id++) expect(seen).toMatch(new RegExp(`(?<!\\d)${id}\r\n`));
  });

  it('counts the rows of a list below the table, and leaves only the table', async ({ expect }) => {
    const { code, lines, seen } = await onTty([...listing, '--fields', 'id,name']).end();
    expect(code).toBe(0);
    for (const count of [2, 4, 6]) expect(seen).toMatch(new RegExp(`█+░* ${count} of ${total} jobs`));
    expect(lines).toHaveLength(1 + total);
    expect(lines.join('\n')).not.toMatch(spinner);
    expect(lines.slice(1).map((line) => line.trim().split(/\s+/)[0])).toEqual(
      Array.from({ length: total }, (_, at) => String(at + 1)),
    );
  });

  it('shows the bytes of a transfer to a file or a pipe', async ({ expect }) => {
    for (const [flags, more] of [
      [['--output-file', 'saved.bin', '--force'], ''],
      [[], '| cat > piped.bin'],
    ] as const) {
      const { code, seen, lines } = await onTty(['api', 'GET', 'bytes', ...flags], more).end();
      expect(code).toBe(0);
      expect(seen).toMatch(/received [\d.]+ KiB of 40 KiB \(\d+%\)/);
      expect(lines.join('\n')).not.toMatch(spinner);
    }
  });

  it('counts down to a retry', async ({ expect }) => {
    const busy = onTty(['api', 'GET', 'busy']);
    await busy.sees('retrying in 8s');
    busy.type('\u0003');
    expect((await busy.end()).code).toBe(130);
  });

  it('disappears after Ctrl-C, and never hides the cursor', async ({ expect }) => {
    const waiting = onTty(['api', 'GET', 'silent']);
    await waiting.sees('waiting for 127.0.0.1');
    waiting.type('\u0003');
    const { code, lines, seen } = await waiting.end();
    expect([code, lines]).toEqual([130, [expect.stringMatching(/^(\^C)?error: interrupted$/)]]);
    expect(seen).not.toContain('\u001b[?25l');
  });

  it('disappears while the command is suspended, and returns with fg only', async ({ expect }) => {
    const file = join(home.path, 'suspend.sh');
    const silent = quoted(['api', 'GET', 'silent']);
    await writeFile(file, `set -m\n${silent}\necho stopped\nbg\nsleep 1\necho foreground\nfg`);
    const suspended = onTerminal(home, `sh '${file}'`, env);
    await suspended.sees('waiting for 127.0.0.1');
    suspended.type('\u001a');
    await suspended.sees('foreground');
    const before = suspended.seen().replace(/foreground[\s\S]*/, '');
    expect(linesOn(before, 80).join('\n')).not.toMatch(spinner);
    const drawn = () => suspended.seen().slice(before.length).includes('waiting for');
    while (!drawn()) await pause(20);
    suspended.type('\u0003');
    expect((await suspended.end()).code).toBe(130);
  });

  it.each([
    ['SVC_ACCESSIBLE=1', { SVC_ACCESSIBLE: '1' }],
    ['TERM=dumb', { TERM: 'dumb' }],
  ])('is a plain line with %s', async (_, more) => {
    const { lines, seen } = await onTty([...listing, '--json'], '> rows.json', more).end();
    expect(lines).toEqual([expect.stringMatching(/^(fetching jobs|\d of \d jobs)$/)]);
    expect(seen).not.toContain('\u001b');
  });

  it.each([
    ['--quiet', ['--quiet'], {}],
    ['CI', [], { CI: 'true' }],
  ] as const)('is not shown with %s', async (_, flags, more) => {
    const { lines } = await onTty([...listing, '-o', 'ndjson', ...flags], '> quiet.ndjson', more).end();
    expect(lines).toEqual([]);
  });
});
