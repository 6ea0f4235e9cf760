/** `svc schema`: laws over every command. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../src/cli/catalogue.ts';
import { inputSchema, outputSchema } from '../../src/docs/schema/command.ts';
import { objectSchema } from '../../src/docs/schema/json-schema.ts';
import { pathOf } from '../../src/spec/command.ts';
import { isSecret } from '../../src/spec/field.ts';
import { ask } from '../sandbox/ask.ts';
import { type SeededCall, seededCalls } from '../sandbox/seeded-calls.ts';
import { seededWrites } from '../sandbox/seeded-writes.ts';
import { calls, returned } from '../support/catalogue.ts';
import { openWorld, type World } from '../support/sandbox.ts';
import { svc } from '../support/svc.ts';

interface Described {
  readonly name: string;
  readonly area: string;
  readonly effect: string;
  readonly input: Record<string, unknown> & { readonly properties: Record<string, Record<string, unknown>> };
  readonly output: Record<string, unknown>;
  readonly requests: readonly { readonly method: string; readonly path: string }[];
  readonly examples: readonly { readonly does: string; readonly run: string; readonly input: unknown }[];
  readonly exit_codes: readonly { readonly code: number; readonly kind: string | null }[];
}

/** No unknown keyword and no unknown format, so that any validator can use the schemas. */
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
const catalogue = await loadCatalogue();
const commands = [...catalogue.areas, ...catalogue.builtins].flatMap((group) => group.commands);

async function described(line: string): Promise<Described> {
  const ran = await svc(`schema ${line}`);
  expect([ran.code, ran.err], line).toEqual([0, '']);
  return JSON.parse(ran.out) as Described;
}

test('the index lists every command with its effect', async () => {
  const ran = await svc('schema');
  const index = JSON.parse(ran.out) as { svc: string; commands: Record<string, string>[] };
  expect(index.svc).toMatch(/^\d+\.\d+\.\d+/);
  expect(index.commands.map(({ name }) => name)).toEqual(commands.map(pathOf));
  expect(index.commands).toContainEqual({
    name: 'jobs list',
    summary: 'List jobs of a project, newest first',
    effect: 'read',
    area: 'jobs',
  });
  const effects = new Map(index.commands.map(({ name, effect }) => [name, effect]));
  for (const name of ['variables delete', 'apply', 'api'])
    expect(effects.get(name), name).toBe('destructive');
  expect(effects.get('diff')).toBe('read');
});

test('an area has its index, also by an alias', async () => {
  const ran = JSON.parse((await svc('schema wiki')).out) as { commands: { area: string }[] };
  expect(new Set(ran.commands.map(({ area }) => area))).toEqual(new Set(['wikis']));
});

describe.each(commands.map((command) => [pathOf(command), command] as const))('%s', (path, command) => {
  test('has a schema that every example validates against', async () => {
    const schema = await described(path);
    expect(schema.name).toBe(path);
    const textOf = ({ does, run }: { does: string; run: string }) => `${does}: ${run}`;
    expect(schema.examples.map(textOf)).toEqual(command.examples.map(textOf));
    const validate = ajv.compile(schema.input);
    for (const { run, input } of schema.examples) {
      const isValid = validate(input);
      expect(isValid, `${run}: ${JSON.stringify(input)}: ${ajv.errorsText(validate.errors)}`).toBe(true);
      expect(validate({ ...(input as object), unknown_name: 1 })).toBe(false);
    }
    ajv.compile(schema.output);
    const requests = command.endpoints.map(({ method, path: route }) => ({ method, path: route }));
    expect(schema.requests).toEqual(requests);
    expect(schema.exit_codes).toContainEqual(expect.objectContaining({ code: 5, kind: 'not_found' }));
  });
});

test('the input of an endpoint without the flags of the program has only what the API takes', () => {
  for (const command of commands.filter(({ endpoints }) => endpoints.length > 0)) {
    const { properties } = inputSchema(command, { flags: false }) as { properties: Record<string, unknown> };
    const known = command.endpoints.flatMap((one) => [
      ...Object.keys(one.takes),
      ...Object.keys(one.slots),
      ...Object.keys(one.flags ?? {}),
      ...(one.scope ? [one.scope.name] : []),
    ]);
    const unknown = Object.keys(properties).filter((name) => !known.includes(name));
    expect(unknown, pathOf(command)).toEqual([]);
  }
});

test('marks every secret parameter as write-only', () => {
  for (const command of commands) {
    const { properties } = inputSchema(command, { flags: true }) as {
      properties: Record<string, Record<string, unknown>>;
    };
    for (const [name, field] of Object.entries(command.fields))
      if (isSecret(field)) expect(properties[name]?.['writeOnly'], `${pathOf(command)} ${name}`).toBe(true);
  }
});

/** The same schema without any other attribute, at every depth. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, closed(one)]));
  return 'properties' in schema ? { ...inner, additionalProperties: false } : inner;
}

describe('the output schema', () => {
  const returnsData = ({ endpoint }: Pick<SeededCall, 'endpoint'>) =>
    'fields' in endpoint.returns && endpoint.returns.kind !== 'headers';
  const reads = seededCalls('GET').filter(returnsData);
  const writes = seededWrites();
  let shared: World;
  beforeAll(async () => {
    shared = await openWorld();
  });

  async function check(call: SeededCall, { sandbox }: World): Promise<void> {
    const response = await ask(sandbox, call.request, call.how);
    expect(response.status, response.text).toBeLessThan(300);
    const items: unknown[] = Array.isArray(response.body) ? response.body : [response.body];
    for (const schema of [
      outputSchema({ endpoints: [call.endpoint] }),
      closed(objectSchema(returned(call.endpoint), { of: 'output' })) as object,
    ]) {
      const validate = ajv.compile(schema);
      for (const item of items)
        expect(validate(item), `${JSON.stringify(item)}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    }
  }

  test.each(reads.map((call) => [call.title, call] as const))(
    'accepts the response of %s',
    async (_title, call) => check(call, shared),
  );

  test.each(writes.map((call) => [call.title, call] as const))(
    'accepts the response of %s',
    async (_title, call) => check(call, await openWorld()),
  );

  test('covers every call that returns data', () => {
    const covered = new Set([...reads, ...writes].map(({ route }) => route));
    const others = calls.filter(returnsData);
    expect(others.map(({ route }) => route).filter((route) => !covered.has(route))).toEqual([]);
    expect(reads.length).toBeGreaterThan(40);
    expect(writes.length).toBeGreaterThan(60);
  });
});
