/** The tools of `svc mcp`: laws over every command. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { areas } from '../../src/api/index.ts';
import { connection } from '../../src/cli/builtin/define.ts';
import { type Tool, toolsOf } from '../../src/cli/builtin/mcp/tools.ts';
import { withInput } from '../../src/cli/builtin/schema.ts';
import { loadCatalogue, lookUp } from '../../src/cli/catalogue.ts';
import { inputSchema } from '../../src/docs/schema/command.ts';
import { type Command, effectOf, pathOf } from '../../src/spec/command.ts';

/** No unknown keyword and no unknown format, so that any validator can use the schemas. */
const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true });
const catalogue = await loadCatalogue();
const ofSeveralAreas = catalogue.builtins.filter(({ name }) => name === 'find' || name === 'status');
const commands = [...catalogue.areas, ...ofSeveralAreas].flatMap((group) => group.commands);
const tools = await toolsOf(areas, true, lookUp);
const named = new Map(tools.map((tool) => [tool.definition.name, tool]));
const nameOf = (command: Command) => pathOf(command).replace(/[ -]/g, '_');

/** Commands that are no tools, because they need a file, a terminal or another program, or print secrets. */
const excluded = [
  'wikis attach',
  'uploads create',
  'variables export',
  'variables import',
  'variables diff',
  'variables copy',
  'variables exec',
  'jobs watch',
  'files edit',
  'hooks listen',
  'hooks forward',
  'hooks replay',
  'hooks trigger',
  'error-tracking send',
];

test('there is one tool per command, except those that need more than the service', () => {
  const expected = commands.map(pathOf).filter((path) => !excluded.includes(path));
  expect(tools.map(({ definition }) => definition.title).sort()).toEqual(expected.sort());
  expect(excluded.filter((path) => !commands.some((command) => pathOf(command) === path))).toEqual([]);
});

test('names are unique, short, and made of letters, digits and underscores', () => {
  const names = tools.map(({ definition }) => definition.name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z0-9_]{1,64}$/);
  for (const command of commands.filter((one) => !excluded.includes(pathOf(one))))
    expect(named.has(nameOf(command)), pathOf(command)).toBe(true);
});

test('without writes, only commands that read are tools', async () => {
  const reading = await toolsOf(areas, false, lookUp);
  const expected = commands.filter((one) => effectOf(one) === 'read' && !excluded.includes(pathOf(one)));
  expect(reading.map(({ definition }) => definition.name).sort()).toEqual(expected.map(nameOf).sort());
});

/** The input of an example without flags of the program, and without parameters that are files. */
function withoutFlags(input: Readonly<Record<string, unknown>>, { command, definition }: Tool) {
  const api = inputSchema(command, { flags: false }) as { properties: object };
  const local = ['from_file', 'source_token_file', 'logo', 'header_logo', 'favicon', 'pwa_icon'];
  const known = { ...api.properties, ...definition.inputSchema.properties };
  return Object.fromEntries(Object.entries(input).filter(([name]) => !local.includes(name) && name in known));
}

describe.each(tools.map((tool) => [tool.definition.name, tool] as const))('%s', (name, tool) => {
  const { definition, command } = tool;
  const effect = effectOf(command);

  test('has valid schemas, and every example agrees with its input schema', async () => {
    const { inputSchema: input, outputSchema: output } = definition;
    const validate = ajv.compile(input);
    ajv.compile(output);
    expect(input).toMatchObject({ type: 'object', additionalProperties: false });
    expect(output).toMatchObject({ type: 'object' });
    expect('$schema' in input || '$schema' in output).toBe(false);
    const source = commands.find((one) => nameOf(one) === name) as Command;
    for (const example of await withInput(source)) {
      const given = withoutFlags(example.input, tool);
      // A file is the content that the tool requires.
      if (/--from-file/.test(example.run) && command.name === 'create') continue;
      if (/--files @/.test(example.run)) continue;
      const confirmed = effect === 'destructive' ? { ...given, confirm: 'x' } : given;
      expect(validate(confirmed), `${example.run}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    }
  });

  test('has parameters with the names of the API', () => {
    const known = command.endpoints.flatMap((one) => [
      ...Object.keys(one.takes),
      ...Object.keys(one.slots),
      ...Object.keys(one.flags ?? {}),
      ...(one.scope ? [one.scope.name] : []),
    ]);
    const ofTask = [
      ...command.arguments.map(({ field }) => field),
      ...(command.scopes ?? []).map((scope) => scope.name),
      ...(tool.command.declaration?.tool?.flags ?? []).map((flag) => flag.replaceAll('-', '_')),
    ];
    const extra = [...(tool.continues ? ['cursor'] : []), ...(effect === 'destructive' ? ['confirm'] : [])];
    for (const one of extra) expect(known, `${name} has its own ${one}`).not.toContain(one);
    const allowed = new Set([...known, ...ofTask, ...extra]);
    const names = Object.keys(definition.inputSchema.properties);
    expect(names.filter((one) => !allowed.has(one))).toEqual([]);
  });

  test('has no parameter of the connection, and none that is a file', () => {
    const names = Object.keys(definition.inputSchema.properties);
    const ofConnection = ['base_url', 'token_file', 'profile', 'output_file', 'har', 'data'];
    const forbidden = [...ofConnection, 'from_file', 'file', 'source_token_file', 'logo'];
    expect(names.filter((one) => forbidden.includes(one))).toEqual([]);
  });

  test('has the annotations of its requests', () => {
    const { annotations } = definition;
    expect(annotations.title).toBe(pathOf(command));
    expect(annotations.readOnlyHint).toBe(effect === 'read');
    if (effect === 'read') return;
    const methods = command.endpoints.map(({ method }) => method);
    // A task has no endpoints of its own.
    if (methods.length > 0)
      expect(methods.some((method) => method !== 'GET' && method !== 'HEAD')).toBe(true);
    expect(annotations).toEqual({
      title: pathOf(command),
      readOnlyHint: false,
      destructiveHint: effect === 'destructive',
      idempotentHint: methods.length > 0 && !methods.includes('POST') && !methods.includes('PATCH'),
    });
  });

  test('requires a confirmation if it is destructive, and says which', () => {
    const { properties, required = [] } = definition.inputSchema;
    expect(required.includes('confirm')).toBe(effect === 'destructive');
    const confirm = properties['confirm'];
    if (effect !== 'destructive') return expect(confirm).toBeUndefined();
    const [, same = ''] =
      /^Confirmation: the same text as (\w+)\./.exec(String(confirm?.['description'])) ?? [];
    expect(Object.keys(properties)).toContain(same);
  });

  test('is described without flags and files', () => {
    const texts = [definition.description, JSON.stringify(definition.inputSchema)].join('\n');
    // `--` is a range or an option of another program nowhere.
    expect(texts.match(/--[a-z][a-z-]*|@file|@<|standard input|exit (code )?\d/gi) ?? []).toEqual([]);
    expect(definition.description.length).toBeGreaterThan(10);
  });
});

test('svc mcp accepts every flag of the connection but --har, which is a file of one command', () => {
  const flags = catalogue.builtins
    .flatMap(({ commands }) => commands)
    .find(({ name }) => name === 'mcp')?.flags;
  const names = flags?.filter(({ group }) => group === 'connection').map(({ name }) => name) ?? [];
  const { har: _, ...expected } = connection;
  expect(names).toEqual(expect.arrayContaining([...Object.keys(expected), 'sandbox']));
  expect(names).not.toContain('har');
});

test('no secret of the catalogue is a list, which masking would not cover', () => {
  const wrong: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('kind' in value && value.kind === 'list' && 'of' in value)
      if ((value.of as { secret?: true }).secret) wrong.push(path);
    for (const [name, item] of Object.entries(value)) if (name !== 'run') visit(item, `${path}.${name}`);
  };
  for (const command of commands)
    for (const { takes, returns } of command.endpoints) visit({ takes, returns }, pathOf(command));
  expect(wrong).toEqual([]);
});
