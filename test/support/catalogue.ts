import { expect, test } from 'vitest';
import { areas, type Entry } from '../../src/api/index.ts';
import { argumentsOf, commandName } from '../../src/spec/command.ts';
import { type Area, type Endpoint, returnedFields as returned } from '../../src/spec/endpoint.ts';
import { type Field, type Fields, keysOf } from '../../src/spec/field.ts';
import { kebab, rowFlag } from '../../src/spec/names.ts';

export interface Call {
  readonly entry: Entry;
  readonly area: Area;
  readonly endpoint: Endpoint;
  /** `PUT /projects/:id/variables/:key` */
  readonly route: string;
  /** The name in messages: `badges list (group)`. */
  readonly title: string;
}

async function allCalls(): Promise<Call[]> {
  const loaded = await Promise.all(
    areas.map(async (entry) => ({ entry, area: (await entry.load()).default })),
  );
  return loaded.flatMap(({ entry, area }) =>
    area.endpoints.map((endpoint) => ({
      entry,
      area,
      endpoint,
      route: `${endpoint.method} ${endpoint.path}`,
      title: `${entry.name} ${commandName(endpoint)}${endpoint.scope ? ` (${endpoint.scope.name})` : ''}`,
    })),
  );
}

/** Every call, in catalogue order. */
export const calls = await allCalls();

/** A field and the fields inside it, with their parameter names: `files[][action]`. */
export function* within(name: string, field: Field): Generator<readonly [path: string, field: Field]> {
  yield [name, field];
  if (field.kind === 'list') yield* within(`${name}[]`, field.of);
  const open = field.kind === 'rows' ? '[]' : '';
  for (const [key, inner] of Object.entries(keysOf(field) ?? {}))
    yield* within(`${name}${open}[${key}]`, inner);
}

/** All fields, with the fields inside them. */
export function everyField(fields: Fields): (readonly [path: string, field: Field])[] {
  return Object.entries(fields).flatMap(([name, field]) => [...within(name, field)]);
}

/** Check a rule for every call. Returns the problems, each with the title of its call. */
export function breaking(rule: (call: Call) => readonly string[] | string | false | undefined): string[] {
  return calls.flatMap((call) => {
    const found = rule(call);
    if (!found) return [];
    return (typeof found === 'string' ? [found] : found).map((problem) => `${call.title}: ${problem}`);
  });
}

/** A test that no call breaks a rule. */
export function law(title: string, rule: Parameters<typeof breaking>[0]): void {
  test(title, () => expect(breaking(rule)).toEqual([]));
}

export { returned };

/** All fields of a call: slots, parameters and attributes of the response. */
export function fieldsOf(endpoint: Endpoint): (readonly [string, Field])[] {
  return [endpoint.slots, endpoint.takes, returned(endpoint)].flatMap((fields) => everyField(fields));
}

/** The flags of `svc` itself, and `page` and `per-page` of the API. */
export const globalFlags =
  `profile base-url token-file auth project group ca-file output json csv fields jq no-header
  csv-safe color limit all parallel page per-page timeout retries max-wait retry-unsafe verbose trace dry-run curl
  show-secrets yes no-input confirm data quiet help insecure time output-file force sandbox watch wait
  wait-timeout captcha-response spam-log-id raw-strings filename sort-by web all-fields`.split(/\s+/);

/** The flags of the parameters of a call. Arguments and credentials have none. */
export function flagsOf(endpoint: Endpoint): string[] {
  const filled = argumentsOf(endpoint).map(({ field }) => field);
  const own = Object.keys(endpoint.flags ?? {}).map(kebab);
  const parameters = Object.entries(endpoint.takes)
    .filter(([name, field]) => field.in !== 'credential' && !filled.includes(name))
    .flatMap(([name, field]) => {
      const flag = kebab(name);
      if (field.kind === 'bool') return [flag, `no-${flag}`];
      return field.kind === 'rows' ? [flag, rowFlag(name)] : [flag];
    });
  return [...new Set([...parameters, ...own])];
}

/** The first example of a call without flags of output and of pagination. */
export function plainRun({ examples: [first] }: Endpoint): string {
  return String(first?.run).replace(
    / (-o|--(fields|output|output-file|limit|sort-by)) ("[^"]*"|\S+)| --(json|csv|no-header|all)(?= |$)/g,
    '',
  );
}
