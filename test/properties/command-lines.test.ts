// Random command lines end with a documented exit code, without an internal error, and show no credential.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listFlags, programFlags } from '../../src/cli/argv/flags.ts';
import { builtins } from '../../src/cli/builtin/index.ts';
import { exitMeanings } from '../../src/cli/exit-codes.ts';
import { argumentsOf, commandName } from '../../src/spec/command.ts';
import { choicesOf, type Field, keysOf } from '../../src/spec/field.ts';
import { kebab } from '../../src/spec/names.ts';
import { calls } from '../support/catalogue.ts';
import { stackTrace } from '../support/process.ts';
import { forAllAsync, runs } from '../support/runs.ts';
import { type Canned, canned, svc } from '../support/svc.ts';

const token = 'svcpat-2vNc8WqLs0';
const documented = new Set(exitMeanings.map(([code]) => code));

/** Texts that a parser could misread. */
const tricky = `- -- @ @nofile @/dev/null @/ @@x . .. ../.. a/../b 0 -1 1e400 99999999999999999999
  9007199254740993 NaN true null { {} [] [[[[ {"a":{"b":[1,{}]}} {"__proto__":{"x":1}} __proto__ constructor
  toString=1 __proto__=1 a=b = a= a,b,c , key=x,value=y 2026-13-45 2026-01-01 2026-01-01T00:00:00Z http://[
  https://host.example file:///etc/passwd %00 %2e%2e ?x=y#z acme/rocket 100 main KEY table json csv raw failed
  help`.split(/\s+/);
const unprintable = ['', ' ', '\u0000', '\u001b[31m', '\u009b2J', '\ud800', 'ünïcode 🚀', '\u202egnp.exe'];

const value = fc.oneof(
  fc.constantFrom(...tricky, ...unprintable, 'x'.repeat(5000)),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.integer().map(String),
);

/** Commands that wait, write files or keep state have separate tests. */
const elsewhere = new Set(['watch', 'wait', 'wait-timeout', 'retries', 'download', 'output-file', 'sandbox']);
const generals = listFlags(programFlags).filter(({ name }) => !elsewhere.has(name));

const flagOf = (name: string, takes: boolean): fc.Arbitrary<string[]> =>
  takes
    ? fc.tuple(value, fc.boolean()).map(([one, tied]) => (tied ? [`--${name}=${one}`] : [`--${name}`, one]))
    : fc.constantFrom<string[]>([`--${name}`], [`--no-${name}`], [`--${name}=maybe`]);

const general = fc.constantFrom(...generals).chain((flag) => flagOf(flag.name, flag.kind !== undefined));
const scope = fc
  .constantFrom('project', 'group', 'p', 'g')
  .chain((name) => value.map((one) => (name.length === 1 ? [`-${name}`, one] : [`--${name}`, one])));

/** A valid value of a field, as entered. */
function plausible(field: Field): string {
  const [first] = choicesOf(field) ?? [];
  if (first !== undefined) return String(first);
  const keys = Object.entries(keysOf(field) ?? {});
  switch (field.kind) {
    case 'int':
    case 'number':
      return '7';
    case 'date':
      return '2026-01-01';
    case 'datetime':
      return '2026-01-01T00:00:00Z';
    case 'list':
      return plausible(field.of);
    case 'hash':
      return keys.length === 0 ? 'a=b' : (keys.map(([key, one]) => `${key}=${plausible(one)}`)[0] as string);
    case 'rows':
      return keys.map(([key, one]) => `${key}=${plausible(one)}`).join(',');
    case 'file':
      return '/dev/null';
    default:
      return 'KEY7';
  }
}

const often = (usual: string) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: value });

/** An endpoint of the catalogue with its required values, and with random flags and values. */
const fromCatalogue: fc.Arbitrary<string[]> = fc.constantFrom(...calls).chain(({ entry, endpoint }) => {
  const args = argumentsOf(endpoint).map(({ field }) => field);
  const fields = { ...endpoint.slots, ...endpoint.takes };
  const words = args.map((name) => often(fields[name] ? plausible(fields[name]) : '7'));
  const needed = Object.entries(endpoint.takes)
    .filter(([name, field]) => field.required && field.in !== 'credential' && !args.includes(name))
    .map(([name, field]) => often(plausible(field)).map((one) => `--${kebab(name)}=${one}`));
  const own = Object.entries(endpoint.takes).map(([name, field]) =>
    fc.oneof(
      flagOf(kebab(name), field.kind !== 'bool'),
      fc.constant([`--${kebab(name)}=${plausible(field)}`]),
    ),
  );
  const flag = fc.oneof(...own, general, scope);
  return fc
    .tuple(
      fc.tuple(...words),
      fc.tuple(...needed),
      fc.array(flag, { maxLength: 3 }),
      fc.array(value, { maxLength: 1 }),
      fc.boolean(),
    )
    .map(([typed, required, flags, more, sloppy]) => [
      entry.name,
      commandName(endpoint),
      ...(endpoint.scope ? [`--${endpoint.scope.name}=100`] : []),
      ...flags.flat(),
      ...required,
      ...(endpoint.confirm && !sloppy ? ['--yes'] : []),
      ...(sloppy ? more : []),
      '--',
      ...typed,
    ]);
});

/** Commands that access this machine, start servers or use real ones have separate tests. */
const harmless = [...builtins.map(({ name }) => name), '__complete'].filter(
  (name) => !['sandbox', 'completion', 'doctor', 'auth'].includes(name),
);
const fromBuiltins: fc.Arbitrary<string[]> = fc
  .tuple(
    fc.constantFrom(...harmless),
    fc.array(
      fc.oneof(
        value,
        fc.constantFrom(
          ...'list show use set remove explain GET POST users /version -F -f -H --input'.split(' '),
        ),
      ),
      { maxLength: 5 },
    ),
  )
  .map(([name, words]) => [name, ...words]);

const line = fc.oneof(
  { weight: 12, arbitrary: fromCatalogue },
  { weight: 2, arbitrary: fromBuiltins },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.oneof(
        value,
        general.map((words) => words.join(' ')),
      ),
      { maxLength: 5 },
    ),
  },
);

/** Any response of the service. */
const response: fc.Arbitrary<Canned> = fc.oneof(
  fc.constantFrom<Canned>(
    { body: '[]' },
    { body: '[{"id":1,"name":"a","status":"failed"}]' },
    { body: '{"id":1,"name":"a","key":"KEY","value":"x","status":"finished"}' },
    {
      body: '[{"id":1},{"id":2}]',
      headers: [['link', '<https://host.example/api/v4/x?page=2>; rel="next"']],
    },
    { body: '' },
    { body: '"text"' },
    { body: '[1,null,"a",[]]' },
    { body: '{"id":' },
    { body: '<html><h1>no</h1></html>', headers: [['content-type', 'text/html']] },
    { status: 204 },
    { status: 202 },
    { status: 301, headers: [['location', '/api/v4/elsewhere']] },
    { status: 304 },
  ),
  fc
    .tuple(
      fc.constantFrom(400, 401, 403, 404, 405, 409, 412, 414, 418, 422, 429, 500, 502),
      fc.jsonValue({ maxDepth: 3 }),
    )
    .map(([status, body]) => ({ status, body: JSON.stringify({ message: body, echo: token }) })),
);

/** Control characters that a terminal would interpret. */
const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

describe('random command lines', () => {
  it('end with a documented exit code and a message, and print no credential', async () => {
    const codes = new Map<number, number>();
    let sent = 0;
    await forAllAsync(line, response, fc.boolean(), async (argv, given, onTerminal) => {
      const { code, out, err, requests } = await svc(argv, {
        env: {
          SVC_TOKEN: token,
          SVC_BASE_URL: 'https://host.example',
          SVC_RETRIES: '0',
          // Not writable for any user.
          SVC_CONFIG_DIR: '/dev/null/svc',
          HOME: '/dev/null',
          PATH: '/dev/null',
          NO_COLOR: '1',
        },
        stdin: '{"value":"from stdin"}',
        // In which not even root can create files, such as that of --har.
        cwd: '/dev/null',
        transport: canned((request) => (request.url.includes('/elsewhere') ? { body: '[]' } : given)),
        ...(onTerminal ? { terminal: 80 } : {}),
      });
      codes.set(code, (codes.get(code) ?? 0) + 1);
      sent += requests.length > 0 ? 1 : 0;
      expect([...documented]).toContain(code);
      expect(err).not.toMatch(/this is a bug/);
      expect(err).not.toMatch(stackTrace);
      // A notification of the terminal (OSC 9) is followed by no line break.
      if (code !== 0) expect(err).toMatch(/(?:^|\u001b\\)(error: |> |\{"error")/m);
      expect(err).not.toContain(token);
      // The credential is sent to its origin only, and not in the URL.
      for (const { url } of requests) {
        // A flag may name another service.
        if (!argv.some((word) => word.startsWith('--base-url'))) {
          expect(url).toMatch(/^https:\/\/host\.example([/?]|$)/);
          // `svc api` also accepts other URLs of the service.
          if (!argv.includes('api')) expect(url).toMatch(/^[^?]*\/api\/v4([/?]|$)/);
        }
        expect(url).not.toContain(token);
      }
      if (onTerminal) {
        expect(err).not.toMatch(obeyed);
        expect(out.replace(/\t|\r\n|\u001b\[[\d;]*m/g, '')).not.toMatch(obeyed);
      }
    });
    // Some command lines are valid.
    expect(sent).toBeGreaterThan(runs / 10);
    expect(codes.size).toBeGreaterThan(4);
  });
});
