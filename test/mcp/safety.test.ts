/** Actions that are impossible for an agent with `svc mcp`, and values that it never sees. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { knownFields, secretTexts } from '../../src/spec/mask.ts';
import { ask } from '../sandbox/ask.ts';
import { seededCalls } from '../sandbox/seeded-calls.ts';
import { folderWith } from '../support/folders.ts';
import { testAgent as agentFor, sharedAgent } from '../support/mcp.ts';
import { openWorld, type World } from '../support/sandbox.ts';
import { canned, jsonLines } from '../support/svc.ts';
import { toolExamples } from '../support/tool-examples.ts';
import { exited, isRead } from '../tasks/engine/world.ts';

const examples = await toolExamples();
const project = 'acme/rocket';

describe('a destructive tool', async () => {
  // Nothing may reach this service.
  const transport = canned(() => ({ body: '{}' }));
  const agent = await sharedAgent(await openWorld(), { argv: ['--allow-writes'], transport });

  const destructive = examples.filter(({ effect }) => effect === 'destructive');

  test('has an example each', () => expect(destructive.length).toBeGreaterThan(15));

  test.each(destructive.map((one) => [one.name, one] as const))(
    '%s sends nothing without the name of its resource',
    async (name, { tool, input }) => {
      const { confirm: _, ...given } = input;
      const description = String(tool.definition.inputSchema.properties['confirm']?.['description']);
      const [, same = ''] = /the same text as (\w+)\./.exec(description) ?? [];
      const right = String(given[same]);
      const wrong = ['', 'yes', true, `${right} `, right.toUpperCase() + right, null, [right]];
      for (const confirm of [{}, ...wrong.map((confirm) => ({ confirm }))]) {
        const { isError, value } = await agent.call(name, { ...given, ...confirm });
        expect([confirm, isError, value.kind]).toEqual([confirm, true, 'usage']);
      }
      expect(agent.requests).toEqual([]);
      const { isError, text } = await agent.call(name, { ...given, confirm: right });
      expect([isError, agent.requests.length > 0], text).toEqual([false, true]);
      agent.requests.length = 0;
    },
  );

  test('that is about a whole project is confirmed with the project of the settings', async () => {
    const options = { argv: ['--allow-writes'], env: { SVC_PROJECT: project } };
    const own = await agentFor(await openWorld(), options);
    expect((await own.call('branches_delete_merged', { confirm: 'acme' })).value.kind).toBe('usage');
    expect((await own.call('branches_list', { project: '.' })).value.kind).toBe('usage');
    expect(own.requests).toEqual([]);
    expect((await own.call('branches_delete_merged', { confirm: project })).value).toEqual({
      done: `Scheduled deletion of the merged branches of ${project}`,
    });
  });
});

describe('without --allow-writes', async () => {
  const reading = await sharedAgent(await openWorld());

  test.each(examples.map((one) => [one.name, one] as const))(
    '%s sends nothing but GET and HEAD',
    async (name, { input, effect }) => {
      expect((await reading.call(name, input).catch((error: Error) => error.message)).valueOf()).toEqual(
        effect === 'read' ? expect.any(Object) : expect.stringContaining('unknown tool'),
      );
      expect(reading.requests.filter((request) => !isRead(request))).toEqual([]);
    },
  );
});

describe('read-only mode', () => {
  test.each([
    ['the variable', [], { SVC_READ_ONLY: '1' }],
    ['the flag', ['--read-only'], {}],
  ] as const)('of %s wins over --allow-writes, with a warning', async (_, flags, env) => {
    const agent = await agentFor(await openWorld(), { argv: ['--allow-writes', ...flags], env });
    expect(agent.tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
    expect(agent.err()).toMatch(/warning: read-only mode \(.+\): tools that write are not offered/);
    await expect(agent.call('variables_delete', { key: 'A', confirm: 'A' })).rejects.toThrow(/unknown tool/);
    expect(agent.requests).toEqual([]);
  });
});

describe('secrets', () => {
  let world: World;
  /** Every secret that the service returns, and those that only the test knows. */
  let secrets: readonly string[];
  const planted = {
    variable: 'planted-variable-7Qx9',
    hook: 'planted-hook-token-5Lm2',
    header: 'planted-header-value-8Rt4',
    license: Buffer.from('planted license 1Zv8').toString('base64'),
  };

  beforeAll(async () => {
    world = await openWorld();
    const lines = [
      `variables set PLANTED ${planted.variable} -p ${project} --description "the value is ${planted.variable}"`,
      `variables set PLANTED ${planted.variable} -p ${project} --environment-scope ${planted.variable}`,
      `hooks create -g acme --url https://a.example/planted --token ${planted.hook} --custom-header key=X-Own,value=${planted.header} --push-events`,
      `license add --license ${planted.license}`,
    ];
    for (const line of lines) await exited(0, world.run(line));
    const found = new Set<string>(Object.values(planted));
    // A file has no fields.
    for (const call of seededCalls('GET').filter(({ endpoint }) => 'fields' in endpoint.returns)) {
      const { body } = await ask(world.sandbox, call.request, call.how);
      for (const text of secretTexts(body, knownFields([call.endpoint])))
        if (text.length > 3) found.add(text);
    }
    secrets = [...found, 'sandbox-admin', 'sandbox-job'];
  });

  test('are found in the responses of the service', () => {
    expect(secrets.length).toBeGreaterThan(8);
  });

  test('appear in no result, error or diagnostic of any tool', async () => {
    const agent = await agentFor(world, { argv: ['--allow-writes', '--verbose'] });
    const order = [...examples].sort((a, b) => rank(a.effect) - rank(b.effect));
    for (const { name, input, effect } of order) {
      const all = { project, ...input };
      const confirm = effect === 'destructive' ? { confirm: 'wrong' } : {};
      await agent.call(name, { ...input, ...confirm });
      if ('group' in input || !('project' in input)) continue;
      await agent.call(name, { ...all, project: 'acme/nope', ...confirm });
    }
    const seen = agent.messages() + agent.err();
    for (const secret of secrets)
      for (const text of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
        expect([text, seen.includes(text)]).toEqual([text, false]);
  });

  test('are masked where the same text stands elsewhere in the result', async () => {
    const agent = await agentFor(world, { argv: ['--areas', 'variables'] });
    const { value } = await agent.call('variables_list', { project });
    const row = { key: 'PLANTED', environment_scope: '*', value: '***', description: 'the value is ***' };
    expect(value.rows).toContainEqual(expect.objectContaining(row));
  });

  test('of the input are masked in results and errors that repeat them', async () => {
    const secret = 's3cret-input-4Jd7';
    const body = JSON.stringify({ message: `no: ${secret}`, key: 'A', note: [{ deep: secret }] });
    const argv = ['--allow-writes', '--areas', 'variables'];
    for (const status of [200, 400, 403, 500]) {
      const transport = canned(({ method }) => (method === 'GET' ? { body: '{}' } : { status, body }));
      const agent = await agentFor(world, { argv, transport });
      const { isError, text } = await agent.call('variables_update', { project, key: 'A', value: secret });
      expect([status, isError]).toEqual([status, status !== 200]);
      expect(text).toContain('***');
      expect([agent.messages().includes(secret), agent.err().includes(secret)]).toEqual([false, false]);
    }
  });

  describe('that equal the key of their variable', () => {
    const key = 'Key_and_value_3Wd8';
    const given = { project, key, value: key };
    const argv = ['--allow-writes', '--areas', 'variables', '--trace'];

    test('are masked in the key too, in results, errors and diagnostics of writes', async () => {
      const agent = await agentFor(await openWorld(), { argv });
      const masked = { key: '***', value: '***' };
      expect((await agent.call('variables_set', given)).value).toMatchObject(masked);
      expect((await agent.call('variables_update', given)).value).toMatchObject(masked);
      expect((await agent.call('variables_create', given)).value.message).toMatch(/\(\*\*\*\) has already/);
      await agent.call('variables_update', { ...given, environment_scope: 'nope' });
      expect([agent.messages().includes(key), agent.err().includes(key)]).toEqual([false, false]);
    });

    test('are masked in results of reads', async () => {
      const own = await openWorld();
      await own.run(`variables set ${key} ${key} -p ${project}`);
      const agent = await agentFor(own, { argv });
      expect((await agent.call('variables_get', { project, key })).value.key).toBe('***');
      await agent.call('variables_list', { project });
      expect(agent.messages()).not.toContain(key);
      // The URL and the trace contain the key, and nothing shows that it is the value.
      expect(agent.err()).toContain(`{"key":"***","value":"***",`);
    });
  });

  /** The rows that a tool returns for a response. */
  const rowsOf = async (body: string, tool: string, input: object = { project }) => {
    const transport = canned(() => ({ body }));
    const agent = await agentFor(world, { argv: ['--areas', 'hooks,jobs,variables'], transport });
    return (await agent.call(tool, { ...input })).value.rows;
  };

  test('nested at any depth, and by name, are masked', async () => {
    const more = '"user":{"feed_token":"abcd-1234"},"more":[[{"password":"hunter22"}]]';
    expect(await rowsOf(`[{"id":1,${more},"name":"hunter22 runs"}]`, 'jobs_list')).toEqual([
      { id: 1, user: { feed_token: '***' }, more: [[{ password: '***' }]], name: '*** runs' },
    ]);
  });

  test('that are lists, objects, numbers or headers of deliveries are masked', async () => {
    const headers = '{"X-Api-Key":"abcd-1234","Content-Type":"text/plain"}';
    const event = `[{"id":1,"url":"http://h/?k=1","request_headers":${headers},"response_body":"got abcd-1234"}]`;
    const request_headers = { 'X-Api-Key': '***', 'Content-Type': 'text/plain' };
    expect(await rowsOf(event, 'hooks_events', { group: 'acme', hook_id: '1' })).toEqual([
      { id: 1, url: 'http://h/?k=***', request_headers, response_body: 'got ***' },
    ]);
    const hook = '[{"id":1,"url":"https://a.example/hook?name=abcd-1234"}]';
    expect(await rowsOf(hook, 'hooks_list', { group: 'acme' })).toEqual([
      { id: 1, url: 'https://a.example/hook?name=***' },
    ]);
    const job = '[{"id":1,"own":{"token":["abcd-1234"],"password":{"a":1},"secret":12345}}]';
    const own = { token: '***', password: '***', secret: '***' };
    expect(await rowsOf(job, 'jobs_list')).toEqual([{ id: 1, own }]);
  });

  test.each([
    [
      'that are short or empty are masked',
      '[{"key":"A","value":"on"},{"key":"B","value":""},{"value":null}]',
      'variables_list',
      [{ key: 'A', value: '***' }, { key: 'B', value: '***' }, { value: null }],
    ],
    [
      'as names of an object whose names are data are masked',
      '[{"id":1,"own":{"my-secret-77":1},"my-secret-77":2,"token":"my-secret-77"}]',
      'jobs_list',
      [{ id: 1, own: { '***': 1 }, '***': 2, token: '***' }],
    ],
    [
      'do not mask the names and documented values that a schema lists',
      '[{"key":"KEY","value":"file","variable_type":"file","description":"a file"},{"key":"B","value":"description"}]',
      'variables_list',
      [
        { key: 'KEY', value: '***', variable_type: 'file', description: 'a ***' },
        { key: 'B', value: '***' },
      ],
    ],
  ])('%s', async (_, body, tool, rows) => {
    expect(await rowsOf(body, tool)).toEqual(rows);
  });
});

const rank = (effect: string): number => ['read', 'write', 'destructive'].indexOf(effect);

describe('settings of the user', () => {
  test('SVC_AUDIT_LOG records each write with its command, and stops writes that it cannot record', async () => {
    const folder = await folderWith();
    const world = await openWorld();
    const file = join(folder, 'audit.log');
    const argv = ['--allow-writes', '--areas', 'variables'];
    const agent = await agentFor(world, { argv, env: { SVC_AUDIT_LOG: file } });
    await agent.call('variables_set', { project, key: 'LOGGED', value: 's3cret-audit' });
    await agent.call('variables_delete', { project, key: 'LOGGED', confirm: 'wrong' });
    await agent.call('variables_delete', { project, key: 'LOGGED', confirm: 'LOGGED' });
    const lines = jsonLines(await readFile(file, 'utf8'));
    const sent = ['variables set PUT', 'variables set POST', 'variables delete DELETE'];
    expect(lines.map(({ phase, command, method }) => `${phase} ${command} ${method}`)).toEqual(
      sent.flatMap((one) => [`intent ${one}`, `result ${one}`]),
    );
    const other = await agentFor(world, { argv, env: { SVC_AUDIT_LOG: '/dev/null/x' } });
    const { value } = await other.call('variables_set', { project, key: 'A', value: 'b' });
    expect(value.kind).toBe('usage');
    const wrong = await other.call('variables_set', { project, key: 'no s3cret', value: 's3cret' });
    expect(wrong.value.message).toContain('not "no ***"');
    expect(other.requests.filter((request) => !isRead(request))).toEqual([]);
  });

  test('all calls share one rate limit', async () => {
    const world = await openWorld();
    const limit = { status: 429, headers: [['retry-after', '1']] as const, body: '{"message":"slow down"}' };
    const transport = canned((_, number) => (number === 0 ? limit : { body: '[]' }));
    const agent = await agentFor(world, { argv: ['--areas', 'jobs,branches'], transport });
    const first = agent.call('jobs_list', { project });
    await new Promise((resolve) => setTimeout(resolve, 2));
    const others = Promise.all(['branches_list', 'jobs_list'].map((name) => agent.call(name, { project })));
    expect((await first).isError).toBe(false);
    expect((await others).every(({ isError }) => !isError)).toBe(true);
    expect(agent.err()).toMatch(/rate limited/);
  });

  test('an unknown area is an error with a suggestion', async () => {
    const world = await openWorld();
    for (const [typed, near] of [
      ['jbs', 'jobs'],
      ['jobs,varables', 'variables'],
    ] as const) {
      const ran = await world.run(['mcp', '--areas', typed]);
      expect([ran.code, ran.out]).toEqual([2, '']);
      expect(ran.err).toMatch(new RegExp(`unknown area .*\\n.*Did you mean ${near}`));
    }
    for (const typed of ['', 'jobs,,variables'])
      expect((await world.run(['mcp', '--areas', typed])).code).toBe(2);
  });

  test('--areas accepts aliases, spaces and repeated names', async () => {
    const agent = await agentFor(await openWorld(), { argv: ['--areas', 'wiki, wikis,jobs'] });
    const names = agent.tools.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(names.map((name) => name.split('_')[0]))).toEqual(new Set(['wikis', 'jobs']));
  });

  test('an invalid setting is an error before the first message', async () => {
    const ran = await (await openWorld()).run(['mcp'], { env: { SVC_TIMEOUT: 'soon' } });
    expect([ran.code, ran.out]).toEqual([2, '']);
  });

  test('without a base URL, the server starts and each call explains what to do', async () => {
    const agent = await agentFor(await openWorld(), { argv: ['--areas', 'jobs'], env: { SVC_BASE_URL: '' } });
    expect(agent.err()).toMatch(/no base URL/);
    const { value } = await agent.call('jobs_list', { project });
    expect([value.kind, value.user_hint]).toEqual(['usage', expect.stringContaining('svc login')]);
  });
});

describe('a change of the profiles while the server runs', () => {
  const [first, second] = ['http://first.example', 'http://second.example'];
  const token = 'token-of-first-1';

  /** Start a server with this profile file, which `change` replaces. */
  async function agentWith(
    profiles: object,
    env: Readonly<Record<string, string>> = {},
    flags: readonly string[] = [],
  ) {
    const folder = await folderWith();
    const change = (to: object) =>
      writeFile(join(folder, 'profiles.json'), JSON.stringify(to), { mode: 0o600 });
    await change(profiles);
    const agent = await agentFor(await openWorld(), {
      as: 'none',
      argv: ['--areas', 'jobs', ...flags],
      env: { SVC_BASE_URL: '', SVC_CONFIG_DIR: folder, ...env },
      transport: canned(() => ({ body: '[]' })),
    });
    const sent = () =>
      agent.requests.map(({ url, headers }) => [
        new URL(url).origin,
        ...headers.filter(([name]) => /token|authorization/.test(name)),
      ]);
    return { agent, change, sent, folder };
  }
  const work = (profile: object, current: string | null = 'work') => ({
    ...(current === null ? {} : { current }),
    profiles: { work: { base_url: first, ...profile }, other: { base_url: second, token: 'other-token-1' } },
  });

  test.each<[string, object, object, Readonly<Record<string, string>>?]>([
    ['another base URL', work({ token }), work({ base_url: second, token: 'token-of-second' })],
    ['another base URL, with SVC_TOKEN', work({}), work({ base_url: second }), { SVC_TOKEN: token }],
    ['a command for its token', work({ token }), work({ token_command: 'touch "$SVC_CONFIG_DIR/ran"' })],
    ['a variable for its token', work({ token }), work({ token_env: 'HOME' })],
    ['another origin of its token', work({ token }), work({ token, origin: second })],
    ['no token, with a job token', work({ token }), work({}), { SVC_JOB_TOKEN: 'a-job-token-1' }],
    ['a token for jobs', work({ token }), work({ token, auth: 'job' })],
  ])('that gives the profile %s sends nothing until a restart', async (_, before, after, env = {}) => {
    const { agent, change, sent, folder } = await agentWith(before, env);
    expect((await agent.call('jobs_list', { project })).isError).toBe(false);
    const usual = [first, ['private-token', token]];
    expect(sent()).toEqual([usual]);
    await change(after);
    const { value } = await agent.call('jobs_list', { project });
    expect([value.kind, value.user_hint]).toEqual(['usage', expect.stringContaining('restart svc mcp')]);
    expect(await readdir(folder)).toEqual(['profiles.json']);
    await change(before);
    expect((await agent.call('jobs_list', { project })).isError).toBe(false);
    expect(sent()).toEqual([usual, usual]);
  });

  test('that makes another profile current has no effect', async () => {
    const { agent, change, sent } = await agentWith(work({ token }));
    await change(work({ token }, 'other'));
    expect((await agent.call('jobs_list', { project })).isError).toBe(false);
    expect(sent()).toEqual([[first, ['private-token', token]]]);
  });

  test('that makes a profile current has no effect if none was', async () => {
    const env = { SVC_BASE_URL: second };
    const { agent, change, sent } = await agentWith(work({}, null), env);
    await change(work({}, 'other'));
    expect((await agent.call('jobs_list', { project })).isError).toBe(false);
    expect(sent()).toEqual([[second]]);
  });

  test('that gives the profile a new token, or makes it read-only, applies to the next call', async () => {
    const { agent, change, sent } = await agentWith(work({ token }), {}, ['--allow-writes']);
    const retry = () => agent.call('jobs_retry', { project, job_id: 7 });
    await retry();
    await change(work({ token: 'token-of-first-2' }));
    await retry();
    const both = [token, 'token-of-first-2'].map((one) => [first, ['private-token', one]]);
    expect(sent()).toEqual(both);
    await change(work({ token, read_only: true }));
    expect([(await retry()).isError, sent()]).toEqual([true, both]);
  });

  test('does not give a base URL to a server that was started without one', async () => {
    const { agent, change } = await agentWith(work({}, null));
    await change(work({}, 'other'));
    const { value } = await agent.call('jobs_list', { project });
    expect([value.kind, value.user_hint]).toEqual(['usage', expect.stringContaining('restart svc mcp')]);
    expect(agent.requests).toEqual([]);
  });
});
