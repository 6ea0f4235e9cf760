// The service reads any Unicode text in slots, keys and values unchanged from the URL.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSandbox, type Sandbox, type SandboxServer, serve } from '../../src/sandbox/index.ts';
import { inArea } from '../../src/spec/compose.ts';
import type { Endpoint } from '../../src/spec/endpoint.ts';
import { hash, text } from '../../src/spec/field.ts';
import { type Plan, plan } from '../../src/spec/request.ts';
import { jsonText } from '../../src/support/json.ts';
import { calls } from '../support/catalogue.ts';
import { forAll, forAllAsync, runs } from '../support/runs.ts';
import { svc } from '../support/svc.ts';

const any = fc.string({ unit: 'binary', maxLength: 16 });
/** Node shows bytes of an argument that are not UTF-8 as U+FFFD, which `svc` rejects. */
const isArgument = (one: string) => !one.includes('\ufffd');

const probe = inArea('things', { noun: 'thing' })('GET things/:name/:other', {
  slots: { name: text('x'), other: text('x') },
  takes: { search: text('x'), filter: hash('x') },
});

describe('a request', () => {
  it('contains every slot, key and value unchanged', () => {
    forAll(any, any, any, any, any, (name, other, search, key, value) => {
      fc.pre(!['', '.', '..'].includes(name) && !['', '.', '..'].includes(other) && key !== '__proto__');
      const { target } = plan({
        endpoint: probe,
        slots: { name, other },
        values: { search, filter: { [key]: value } },
      });
      // Parse as a server does: with the WHATWG parser, then decode each part.
      const url = new URL(`https://host.example${target}`);
      expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'things', name, other]);
      expect([...url.searchParams]).toEqual([
        ['search', search],
        [`filter[${key}]`, value],
      ]);
      expect(url.hash).toBe('');
    });
  });
});

describe('through the sandbox', () => {
  let sandbox: Sandbox;
  let served: SandboxServer;
  beforeAll(async () => {
    sandbox = await openSandbox({ memory: true });
    served = await serve(sandbox);
  });
  afterAll(async () => {
    await served.close();
    await sandbox.close();
  });

  const run = (argv: readonly string[]) =>
    svc([...argv.slice(0, 2), '-p', 'acme/rocket', '--base-url', served.url, ...argv.slice(2)], {
      env: { SVC_TOKEN: 'sandbox-admin' },
    });
  /** Text that cannot be an environment scope or value: empty, or longer than the service accepts. */
  const kept = any.filter((one) => one.trim() === one && one !== '' && !/[\u0000]/.test(one));

  it('returns a scope in a query and a value in a body unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(kept.filter(isArgument), any.filter(isArgument), async (scope, value) => {
        const scoped = `--environment-scope=${scope}`;
        const filter = `environment_scope=${scope}`;
        const made = await run(['variables', 'create', 'UNICODE', `@@${value}`, scoped, '--json', '-q']);
        expect({ code: made.code, err: made.err }).toEqual({ code: 0, err: '' });
        const got = await run(['variables', 'get', 'UNICODE', '--filter', filter, '--json']);
        expect(JSON.parse(got.out)).toMatchObject({ environment_scope: scope, value: `@${value}` });
        expect((await run(['variables', 'delete', 'UNICODE', '--filter', filter, '--yes'])).code).toBe(0);
      }),
      { numRuns: Math.ceil(runs / 10) },
    );
  });

  it('reads keys, values and slots unchanged', async () => {
    const call = (route: string) => calls.find((one) => one.route === route)?.endpoint as Endpoint;
    const create = call('POST /projects/:id/variables');
    const get = call('GET /projects/:id/variables/:key');
    const remove = call('DELETE /projects/:id/variables/:key');
    const send = async ({ method, target, json }: Plan) => {
      const body = json === undefined ? {} : { body: jsonText(json) };
      const headers = { 'private-token': 'sandbox-admin', 'content-type': 'application/json' };
      const url = `http://sandbox.localhost/api/v4${target}`;
      const reply = await sandbox.handle(new Request(url, { method, headers, ...body }));
      return { status: reply.status, json: reply.status === 204 ? undefined : await reply.json() };
    };
    await forAllAsync(kept, any, async (scope, value) => {
      const slots = { id: 'acme/rocket', key: 'EACH' };
      const made = await send(
        plan({ endpoint: create, slots: slots, values: { key: 'EACH', value, environment_scope: scope } }),
      );
      expect(made).toMatchObject({ status: 201, json: { value, environment_scope: scope } });
      const filter = { filter: { environment_scope: scope } };
      expect((await send(plan({ endpoint: get, slots: slots, values: filter }))).json).toEqual(made.json);
      expect((await send(plan({ endpoint: remove, slots: slots, values: filter }))).status).toBe(204);
    });
  });

  it('returns a path in a slot unchanged', async () => {
    // Valid file names in git.
    const path = any.filter(
      (one) => isArgument(one) && one !== '' && !/[\u0000/\\]/.test(one) && !/^\.+(git)?$/i.test(one.trim()),
    );
    await fc.assert(
      fc.asyncProperty(path, async (name) => {
        const file = `unicode/${name}`;
        const commit = ['--branch', 'main', '--commit-message', 'x'];
        const made = await run(['files', 'create', '--content', 'x', ...commit, '--json', '-q', '--', file]);
        expect({ name, code: made.code, err: made.err }).toEqual({ name, code: 0, err: '' });
        expect(JSON.parse(made.out)).toMatchObject({ file_path: file });
        const got = await run(['files', 'get', '--ref', 'main', '--json', '--', file]);
        expect(JSON.parse(got.out)).toMatchObject({ file_path: file, file_name: name });
        expect((await run(['files', 'delete', ...commit, '--yes', '--', file])).code).toBe(0);
      }),
      { numRuns: Math.ceil(runs / 20) },
    );
  });
});
