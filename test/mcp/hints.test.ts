/** The hints of errors of `svc mcp`, for every tool. */
import { describe, expect, test } from 'vitest';
import { type Agent, testAgent } from '../support/mcp.ts';
import { openWorld } from '../support/sandbox.ts';
import { canned } from '../support/svc.ts';
import { toolExamples } from '../support/tool-examples.ts';

const examples = await toolExamples();
const world = await openWorld();

describe('no hint for an agent names a flag, a variable or a command', () => {
  /** Words for things that an agent does not have. */
  const foreign = /(^|[^\w-])--[a-z]|\bSVC_|\bsvc (?!mcp\b)[a-z-]|standard input|[@<>]/;

  const check = async (agent: Agent, input: (one: (typeof examples)[number]) => Record<string, unknown>) => {
    const errors = await Promise.all(
      examples.map(async (one) => [one.name, await agent.call(one.name, input(one))] as const),
    );
    const texts = errors.flatMap(([name, { isError, value }]) =>
      isError ? [`${name}: ${value.message}`, `${name}: ${value.hint}`] : [],
    );
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.filter((text) => foreign.test(text))).toEqual([]);
  };

  const confirmed = ({ tool, input }: (typeof examples)[number]) => {
    const { confirm } = tool.definition.inputSchema.properties;
    const [, same = ''] = /the same text as (\w+)/.exec(String(confirm?.['description'])) ?? [];
    return confirm ? { ...input, confirm: String(input[same]) } : input;
  };

  test.each<[status: number, body: string]>([
    ...[202, 400, 401, 403, 404, 405, 409, 429, 500].map((status): [number, string] => [status, '{}']),
    [
      409,
      '{"needs_captcha_response":true,"spam_log_id":42,"captcha_site_key":"x","message":{"error":"spam"}}',
    ],
    [200, '<html>'],
  ])('if the service responds %s %s', async (status, body) => {
    for (const as of ['admin', 'none'] as const) {
      const agent = await testAgent(world, {
        as,
        argv: ['--allow-writes', '--retries', '0'],
        transport: canned(() => ({ status, body })),
      });
      await check(agent, confirmed);
    }
  });

  test.each([
    ['no arguments', () => ({})],
    [
      'the required arguments only',
      ({ tool, input }: (typeof examples)[number]) =>
        Object.fromEntries(
          (tool.definition.inputSchema.required ?? []).map((name) => [name, input[name] ?? name]),
        ),
    ],
    ['an unknown parameter', (one: (typeof examples)[number]) => ({ ...one.input, nope: 1 })],
    [
      'wrong values',
      (one: (typeof examples)[number]) =>
        Object.fromEntries(Object.keys(one.input).map((name) => [name, { not: 'a value' }])),
    ],
    ['a project and a group', () => ({ project: 'a/b', group: 'c' })],
  ])('for a call with %s', async (_, input) => {
    const agent = await testAgent(world, {
      argv: ['--allow-writes'],
      transport: canned(() => ({ status: 404 })),
    });
    await check(agent, input);
  });
});
