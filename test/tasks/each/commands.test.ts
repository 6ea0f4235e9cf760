/** Which commands `svc each` runs, and how it runs those that are not tasks. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../../src/cli/catalogue.ts';
import { Failure } from '../../../src/errors.ts';
import { pathOf } from '../../../src/spec/command.ts';
import { sharedFolder } from '../../support/folders.ts';
import { exampleFiles } from '../../support/sandbox.ts';
import { canned, type Ran, type Setting, svc, words } from '../../support/svc.ts';
import { exited, refused } from '../engine/world.ts';

const folder = sharedFolder();
beforeAll(async () => {
  const files = {
    ...exampleFiles,
    'settings.env': 'LOG_LEVEL=info\n',
    'settings.yaml': 'svc: 1\nproject: acme/rocket\nbadges: []\n',
    'crash.txt': 'Error: no fuel\n    at launch (rocket.js:1:2)\n',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
});

const run = (argv: string | readonly string[], setting: Setting = {}): Promise<Ran> =>
  svc(argv, {
    cwd: folder,
    ...setting,
    env: {
      SVC_BASE_URL: 'http://host.example',
      SVC_TOKEN: 'token',
      XDG_STATE_HOME: join(folder, 'state'),
      ...setting.env,
    },
  });

const { areas, builtins } = await loadCatalogue();
const commands = [...areas, ...builtins].flatMap((group) => group.commands);
const offline: Setting['transport'] = () => ({
  send() {
    throw new Failure('network', 'connection refused', {
      cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    });
  },
  close: async () => {},
});

describe('every command', () => {
  test.each(
    commands.flatMap((one) => (one.notInEach === undefined ? [] : [[pathOf(one), one.notInEach] as const])),
  )('svc %s is refused with the declared reason', async (path, reason) => {
    const ran = await run(`each --projects - -- ${path}`, { stdin: 'acme/rocket\n', transport: offline });
    expect(ran.code).toBe(2);
    expect(ran.err.split('\n')[0]).toBe(`error: svc each cannot run "${path}": ${reason}`);
    expect(ran.requests).toEqual([]);
  });

  test('only commands of the program and these tasks are refused', () => {
    const groups = new Set(builtins.map(({ name }) => name));
    const refused = commands.filter(({ notInEach }) => notInEach !== undefined);
    expect(refused.filter(({ area }) => !groups.has(area)).map(pathOf)).toEqual([
      'jobs watch',
      'files edit',
      'hooks listen',
    ]);
    const run = [...groups].filter((name) => refused.every(({ area }) => area !== name));
    expect(run).toEqual(['export', 'diff', 'apply', 'status', 'find', 'api']);
  });

  const tasks = commands.filter((one) => one.endpoints.length === 0 && one.notInEach === undefined);
  test.each(
    tasks.flatMap(({ examples }) =>
      examples
        .map(({ run: line }) => line)
        .filter((line) => !line.startsWith('hooks forward') || line.includes('--once'))
        .map((line) => [line]),
    ),
  )('svc %s ends as it does alone', async (line) => {
    const alone = await exited(3, run(['--retries', '0', ...words(line)], { transport: offline }));
    const own = words(line).map((word) => word.replace(/[{}]/g, '$&$&'));
    const ran = await run(['each', '--rows', '-', '--retries', '0', '--', ...own], {
      transport: offline,
      stdin: 'a\n1\n',
    });
    expect([ran.code, firstError(ran)]).toEqual([alone.code, firstError(alone)]);
  });
});

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** The message of the error on standard error, or of the only target. */
const firstError = ({ err, out }: Ran): string | undefined =>
  /^error: (?:(?:row 1(?: \(.*?\))?|acme(?:\/\w+)?): )?(.*)$/m.exec(err)?.[1] ??
  /"message":"([^"]*)"/.exec(out)?.[1];

describe('svc api', () => {
  async function sent(line: string, rows: readonly object[]) {
    const requests: {
      method: string;
      url: string;
      body?: unknown;
      headers: readonly (readonly string[])[];
    }[] = [];
    const transport = canned(({ method, url, body, headers }) => {
      const bytes = body && 'bytes' in body ? Buffer.from(body.bytes).toString() : undefined;
      requests.push({
        method,
        url: url.replace('http://host.example/api/v4', ''),
        headers,
        ...(bytes === undefined ? {} : { body: bytes.startsWith('{') ? JSON.parse(bytes) : bytes }),
      });
      return { body: '{}' };
    });
    const stdin = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const ran = await run(`each --rows - --concurrency 1 -- api ${line}`, { stdin, transport });
    return { ...ran, sent: requests, last: requests[0] };
  }

  test('fills {project} with each target, encoded', async () => {
    const urls: string[] = [];
    const transport = canned(({ url }) => {
      urls.push(url.replace('http://host.example/api/v4', ''));
      return { body: '[]' };
    });
    const targets = 'acme/rocket\n/acme/a b/\nacme%2Fc\nhttp://host.example/acme/d\n42\n';
    const line = "each --concurrency 1 --projects - -- api 'projects/{project}/jobs?ref={project}'";
    expect((await run(line, { stdin: targets, transport })).code).toBe(0);
    expect(urls).toEqual(
      ['acme%2Frocket', 'acme%2Fa%20b', 'acme%2Fc', 'acme%2Fd', '42'].map(
        (id) => `/projects/${id}/jobs?ref=${id}`,
      ),
    );
    urls.length = 0;
    await run("each --groups - -- api 'groups/{group}/hooks'", { stdin: 'acme/space\n', transport });
    expect(urls).toEqual(['/groups/acme%2Fspace/hooks']);
  });

  test.each([
    ['--projects', 'version', 'the path does not contain {project}'],
    ['--groups', 'projects/{project}/jobs', 'the path does not contain {group}'],
    [
      '--projects',
      "'projects/{project}/jobs' --project a/b",
      '--project and --projects cannot be used together',
    ],
    ['--projects', "'projects/{project}/jobs' -X PURGE", 'unknown method "PURGE"'],
    ['--projects', "POST 'projects/{project}/jobs' --all", '--all and --limit require the method GET'],
  ])('rejects %s for %s', async (flag, line, message) => {
    await refused(message, run(`each ${flag} - -- api ${line}`, { stdin: 'a/b\n', transport: offline }));
  });

  test.each([
    ['a/b', 'a%2Fb'],
    ['../../user', '..%2F..%2Fuser'],
    ['a?b=c#d', 'a%3Fb%3Dc%23d'],
    ['{project}', '%7Bproject%7D'],
    ['ü 1', '%C3%BC%201'],
  ])('fills a segment with %j', async (name, segment) => {
    const one = await sent("'projects/1/wikis/x-{name}/{{project}}?search={name}' --project p", [{ name }]);
    expect(one.code).toBe(0);
    expect(one.last?.url).toBe(`/projects/1/wikis/x-${segment}/p?search=${segment}`);
  });

  test('a path that is only a placeholder stays a path', async () => {
    const one = await sent('{path}', [{ path: 'projects/acme%2Frocket/jobs?scope=failed' }]);
    expect(one.last?.url).toBe('/projects/acme%2Frocket/jobs?scope=failed');
  });

  test.each([
    ['projects/{id}/jobs', { id: '' }, 'empty'],
    ['projects/{id}/jobs', { id: '..' }, 'segment ".."'],
    ['{path}', { path: 'projects/../user' }, 'segment ".."'],
    ['{path}', { path: 'http://other.example/api/v4/user' }, 'is not the origin'],
  ])('rejects the path %s with %j', async (path, row, message) => {
    const one = await sent(path, [row]);
    expect([one.code, one.sent]).toEqual([2, []]);
    expect(one.err).toContain(message);
  });

  test('fills fields, headers and files, and reads no text as a file or a flag', async () => {
    await writeFile(join(folder, 'body.json'), '{"from":"a file"}');
    const row = {
      text: '@README.md',
      int: '7',
      on: 'true',
      file: 'README.md',
      head: 'x',
      dash: '-',
      body: 'body.json',
    };
    const post =
      "POST 'projects/1/variables' -f a={text} -F b={text} -F c={int} -F d={on} -F e=@{file} -F f={dash}";
    const one = await sent(`${post} -f g=x{int} -H 'X-Name: {head}'`, [row]);
    expect(one.err).toMatch(/^Journal: \S+\n1 done\.\n$/);
    expect(one.last?.body).toEqual({
      a: '@README.md',
      b: '@README.md',
      c: 7,
      d: true,
      e: exampleFiles['README.md'],
      f: '-',
      g: 'x7',
    });
    expect(one.last?.headers).toContainEqual(['x-name', 'x']);
    const input = await sent('{method} projects/1/x --input {body}', [{ ...row, method: 'put' }]);
    expect([input.last?.method, input.last?.body]).toEqual(['PUT', { from: 'a file' }]);
  });

  test('prints JSON by default, and data of another type as text', async () => {
    const transport: Setting['transport'] = () => ({
      send: async ({ url }) => {
        const [type, body] = url.includes('/1/')
          ? ['application/json', '[{"id":12345678901234567890}]']
          : ['text/plain', 'a log\n'];
        return {
          status: 200,
          headers: [['content-type', type]],
          body: once(body),
          url,
          discard: async () => {},
        };
      },
      close: async () => {},
    });
    const line = "each --projects - -- api 'projects/{project}/x'";
    const json = await run(line, { stdin: '1\n2\n', transport });
    expect(json.out).toContain('{"target":"1","exit":0,"data":[\n{"id":12345678901234567890}\n]\n}');
    expect(json.out).toContain('{"target":"2","exit":0,"data":"a log\\n"}');
  });

  test('masks the secret fields of every endpoint in traces, HAR files and the audit log', async () => {
    const transport = canned(({ url }) => ({
      body: url.includes('/variables')
        ? '[{"key":"A","value":"stored-value"}]'
        : '{"id":1,"tracker_dsn":"stored-dsn","license":"stored-license"}',
    }));
    const rows = ['projects/1/variables', 'license'].map((path) => `{"path":"${path}"}\n`).join('');
    const har = join(folder, 'each.har');
    const audit = join(folder, 'audit.ndjson');
    const how = { stdin: rows, transport, env: { SVC_AUDIT_LOG: audit } };
    const read = await exited(0, run(`each --rows - --trace --har ${har} -- api {path}`, how));
    expect(read.out).toContain('stored-value');
    expect(read.err).toContain('"key":"A"');
    const post = `each --rows - --trace --har ${har}.2 -- api POST {path} -f key=A -f value=sent-value`;
    const stdin = rows.replaceAll('"}', '?value=query-value"}');
    const written = await exited(0, run(post, { ...how, stdin }));
    expect(written.err).toContain('"key":"A"');
    const files = await Promise.all([har, `${har}.2`, audit].map((file) => readFile(file, 'utf8')));
    expect([read.err, written.err, ...files].join()).not.toMatch(/(stored|sent|query)-(value|dsn|license)/);
  });

  test('asks once before DELETE, and keeps a journal for every method that writes', async () => {
    const stdin = 'a/b\nc/d\n';
    const transport = canned(() => ({ status: 204 }));
    const asked = await run("each --projects - -- api DELETE 'projects/{project}/x'", { stdin, transport });
    expect(asked.code).toBe(2);
    expect(asked.err).toContain('Send DELETE requests (svc api) for 2 targets: a/b, c/d.');
    expect(asked.requests).toEqual([]);
    const done = await run("each --projects - -- api DELETE 'projects/{project}/x' --yes", {
      stdin,
      transport,
    });
    expect([done.code, done.requests.length]).toEqual([0, 2]);
    expect(done.err).toMatch(/^Journal: .*\n2 done\.\n$/m);
    const read = await run("each --projects - -- api 'projects/{project}/x'", { stdin, transport });
    expect(read.err).toBe('2 done.\n');
  });

  // A write prints data only on request, or where it has a result.
  test('prints no record of a target without a result, unless a format is requested', async () => {
    const stdin = 'a/b\nc/d\n';
    const line = "each --projects - --yes -- api DELETE 'projects/{project}/x'";
    const empty = canned(() => ({ status: 204 }));
    expect((await run(line, { stdin, transport: empty })).out).toBe('');
    const records = [
      { target: 'a/b', exit: 0, data: null },
      { target: 'c/d', exit: 0, data: null },
    ];
    const requested = await run(`${line} -o json`, { stdin, transport: empty });
    expect(JSON.parse(requested.out)).toEqual(records);
    const env = { SVC_OUTPUT: 'json' };
    expect(JSON.parse((await run(line, { stdin, transport: empty, env })).out)).toEqual(records);
    const partly = canned(({ url }) => (url.includes('c%2Fd') ? { body: '{"id":1}' } : { status: 204 }));
    const answered = await run(line, { stdin, transport: partly });
    expect(JSON.parse(answered.out)).toEqual([{ target: 'c/d', exit: 0, data: { id: 1 } }]);
  });
});
