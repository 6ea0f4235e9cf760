/** `svc jobs digest`: the table, the machine formats, and Markdown that names of jobs cannot break. */
import MarkdownIt from 'markdown-it';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Row } from '../../../src/spec/resource.ts';
import { codeCell, digestMarkdown, passedIn } from '../../../src/tasks/jobs/digest.ts';
import type { PipelineJob } from '../../../src/tasks/jobs/pipeline.ts';
import { openWorld, type World } from '../../support/sandbox.ts';
import { at, exited, intercepted, withStatus, withText } from '../engine/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});

const on = '-p acme/rocket';

describe('in the sandbox', () => {
  test('lists failures first and allowed failures last, and exits with 0', async () => {
    const rows = await exited(0, world.run(`jobs digest 1011 ${on} -o json`));
    const shown = JSON.parse(rows.out).map(({ name, allow_failure }: Row) => [name, allow_failure]);
    expect(shown).toEqual([
      ['test:e2e', false],
      ['trigger:docs', false],
      ['audit:dependencies', true],
    ]);
    expect(rows.err).toMatch(
      /^Pipeline 1011: 23 jobs: 13 success, 7 skipped, 2 failed, 1 failed \(allowed\)\n170 jobs read, /,
    );
  });

  test('includes child pipelines, with the reason', async () => {
    const [first] = await world.run(`jobs digest 1012 ${on} -o json`).then(({ out }) => JSON.parse(out));
    const probe = { name: 'probe 4/12', pipeline_id: 1013, failure_reason: 'stuck_or_timeout_failure' };
    expect(first).toMatchObject(probe);
    expect(first.queued_duration).toBeGreaterThan(0);
  });

  test('tells when a job passed last, whether it is flaky, and the end of its log', async () => {
    const [first] = JSON.parse((await world.run(`jobs digest 1011 ${on} -o json --lines 2`)).out);
    expect(first).toMatchObject({ name: 'test:e2e', passed_in: '1001–1009', flaky: true });
    expect(first.log).toEqual([expect.stringContaining('src/main.ts'), 'ERROR: Job failed: exit code 1']);
    const shown = await world.run(`jobs digest 1011 ${on}`);
    expect(shown.out).toContain('svc jobs retry 5234');
    // A trigger job, whose pipeline is in another project.
    expect(shown.out).toContain('trigger:docs');
    expect(shown.out).not.toMatch(/svc jobs \w+ 5901/);
    const child = await world.run(`jobs digest 1012 ${on}`, { terminal: 40, env: { NO_COLOR: '1' } });
    expect(child.out).toMatch(/4\/12 \(pipeline 1013\): never passed\nin the last pipelines, not flaky\n/);
  });

  test('takes a job with the same name in a pipeline of another project for no later run', async () => {
    const more = { id: 9999, status: 'success', pipeline: { id: 9000, project_id: 101 } };
    const transport = intercepted(
      world,
      withText(at(/pipelines\/1011\/jobs/), (text) => {
        const jobs = JSON.parse(text) as Row[];
        return JSON.stringify([...jobs, { ...jobs.find(({ id }) => id === 5234), ...more }]);
      }),
    );
    const { out } = await exited(0, world.run(`jobs digest 1011 ${on} -o json --lines 0`, { transport }));
    expect(JSON.parse(out)[0]).toMatchObject({ id: 5234, name: 'test:e2e', pipeline_id: 1011 });
  });

  test('compares the pipelines up to the one it explains, and claims nothing that it did not read', async () => {
    for (let count = 0; count < 21; count++) await exited(0, world.run(`pipelines run main ${on}`));
    // The second is a trigger job, whose runs the list of jobs does not have.
    expect(JSON.parse((await world.run(`jobs digest 1011 ${on} -o json --lines 0`)).out)).toMatchObject([
      { passed_in: '1001–1009', flaky: true },
      { passed_in: null, flaky: null },
      { passed_in: '1007–1009', flaky: true },
    ]);
    const transport = intercepted(world, withStatus(at(/rocket\/pipelines\?/), 403));
    const shown = await world.run(`jobs digest 1011 ${on} --lines 0`, { transport });
    expect(shown.out).toMatch(/^test:e2e$/m);
    expect(shown.out).not.toContain('never passed');
  });

  test('does not call canceled jobs failed, and keeps the report without a log', async () => {
    const markdown = await world.run(`jobs digest 1008 ${on} --markdown`);
    expect(markdown.out).toMatch(/^### Pipeline 1008: 11 canceled\n\n21 jobs: 11 canceled, /);
    const rows = JSON.parse((await world.run(`jobs digest 1008 ${on} -o json`)).out);
    expect([rows.length, rows[0].status, rows[0].log.length]).toEqual([12, 'failed', 5]);
    expect((await world.run(`jobs digest 1008 ${on}`)).err).toContain(
      'logs of the first 10 of 12 jobs read\n',
    );
    for (const status of [500, 403]) {
      const transport = intercepted(world, withStatus(at(/\/trace$/), status));
      const ran = await exited(0, world.run(`jobs digest 1011 ${on} --retries 0 -o json`, { transport }));
      expect(JSON.parse(ran.out)).toHaveLength(3);
      expect(ran.err).toMatch(/warning: logs of jobs not read: \d+ \(/);
    }
  });

  test('reports that nothing failed', async () => {
    const ran = await world.run(`jobs digest 1010 ${on}`);
    expect([ran.code, ran.out]).toEqual([0, '']);
    expect(ran.err).toContain('No failed jobs found.');
    const body = '{"id":1010,"status":"failed","yaml_errors":"unknown key"}';
    const transport = intercepted(
      world,
      withText(at(/pipelines\/1010$/), () => body),
    );
    const { err } = await world.run(`jobs digest 1010 ${on}`, { transport });
    expect(err).toContain('warning: the pipeline failed without a failed job: unknown key\n');
  });

  test('--markdown cannot be combined with a format', async () => {
    for (const flag of ['-o json', '--json', '--csv', '--fields id', '--sort-by id', '--jq .']) {
      const ran = await world.run(`jobs digest 1011 ${on} --markdown ${flag}`);
      expect([flag, ran.code, ran.out]).toEqual([flag, 2, '']);
      expect(ran.err).toMatch(/--markdown and --[a-z-]+ cannot be used together/);
    }
    await exited(0, world.run(`jobs digest 1011 ${on} --markdown`, { env: { SVC_OUTPUT: 'json' } }));
  });

  test('--markdown keeps a hostile job name as text', async () => {
    const jobs = world.sandbox.world.table('jobs');
    const [row] = jobs.filter((one) => one['id'] === 5234);
    if (row) jobs.update(row, { name: hostile[0] });
    const ran = await exited(0, world.run(`jobs digest 1011 ${on} --markdown`));
    expect(cellsOf(ran.out)[0]?.[1]).toBe(hostile[0]);
  });
});

/** Names that would break a table or add links, mentions, images or HTML. */
const hostile = [
  'x [click](https://evil.example) <img src=y onerror=z> @all',
  'a | b | c',
  '`a` ``b``',
  '``',
  '![i](https://evil.example/i.png)',
  'https://evil.example www.evil.example me@evil.example',
  '</code><script>alert(1)</script>',
  '**bold** _em_ ~~del~~ #12 !34 &lt; &amp;',
];

const job = (more: Row): PipelineJob => ({
  ...{ id: 1, pipeline_id: 7, name: 'a', stage: 's', status: 'failed', allow_failure: false },
  ...{ failure_reason: null, duration: 61, queued_duration: null, web_url: 'https://host.example/jobs/1' },
  ...more,
});

const reader = new MarkdownIt({ html: true, linkify: true });

/** The cells of the first table: the text of code spans, and all other text. */
function cellsOf(markdown: string): string[][] {
  const rows: string[][] = [];
  for (const token of reader.parse(markdown, {})) {
    if (token.type === 'thead_open') rows.length = 0;
    if (token.type === 'tr_open') rows.push([]);
    if (token.type === 'table_close') break;
    if (token.type === 'inline')
      rows.at(-1)?.push((token.children ?? []).map(({ content }) => content).join(''));
  }
  return rows.slice(1);
}

const linksIn = (markdown: string): unknown[] =>
  reader
    .parse(markdown, {})
    .flatMap(({ children }) => children ?? [])
    .filter(({ type }) => ['link_open', 'image', 'html_inline'].includes(type))
    .map((token) => token.attrGet('href') ?? token.content);

describe('Markdown', () => {
  test.each(hostile)('keeps %s as text', (name) => {
    const markdown = digestMarkdown('7', [job({ name })], [job({ name, stage: name, failure_reason: name })]);
    expect(cellsOf(markdown)).toEqual([['1', name, name, name, '1m1s', '']]);
    expect(linksIn(markdown)).toEqual(['https://host.example/jobs/1']);
  });

  test('replaces line breaks and characters that hide text', () => {
    expect(codeCell('a\n| b\u202e\u200b\r\n# c')).toBe('`a \\| b # c`');
  });

  test('a bar after a backslash cannot end the cell', () => {
    const [cells] = cellsOf(digestMarkdown('7', [], [job({ name: 'a\\| b' })]));
    expect(cells).toHaveLength(6);
  });

  test.each([
    ['javascript:alert(1)', []],
    ['not a url', []],
    [null, []],
    [
      'https://host.example/a>)[x](https://evil.example',
      ['https://host.example/a%3E)%5bx%5d(https://evil.example'],
    ],
    ['https://host.example/a|b', ['https://host.example/a%7Cb']],
  ])('links to %s only if it is a web page', (web_url, links) => {
    expect(linksIn(digestMarkdown('7', [], [job({ web_url })]))).toHaveLength(links.length);
    expect(cellsOf(digestMarkdown('7', [], [job({ web_url })]))[0]?.[0]).toBe('1');
  });

  test('separates allowed failures', () => {
    const allowed = job({ name: 'audit', allow_failure: true });
    const markdown = digestMarkdown('7', [job({}), allowed], [job({}), allowed]);
    expect(markdown).toMatch(/^### Pipeline 7: 1 failed job\n\n2 jobs: 1 failed, 1 failed \(allowed\)\n/);
    expect(markdown.indexOf('#### Allowed failures')).toBeLessThan(markdown.indexOf('`audit`'));
  });

  test('states that nothing failed', () => {
    expect(digestMarkdown('7', [job({ status: 'success' })], [])).toBe(
      '### Pipeline 7: no failed jobs\n\n1 job: 1 success\n',
    );
  });
});

const runsOf = (...statuses: string[]) =>
  statuses.map((status, at) => ({ status, pipeline: { id: at + 1 } }));
test.each([
  [runsOf('success', 'success', 'failed'), 4, '1–2'],
  [runsOf('success', 'failed', 'success', 'failed'), 4, '3'],
  [runsOf('failed', 'failed'), 3, null],
  [runsOf('success', 'canceled', 'success'), 4, '1–3'],
  [runsOf('success', 'success', 'success'), 2, '1'],
  [[...runsOf('failed'), { status: 'success', pipeline: { id: 1 } }], 2, '1'],
])('of the runs %j, those before pipeline %i passed in %s', (runs, before, expected) => {
  expect(passedIn(runs, before)).toBe(expected);
});
