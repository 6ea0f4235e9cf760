/** docs/testing.md names everything that tests can use. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openTestSandbox } from '../sandbox/ask.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = await read('docs/testing.md');
const types = await read('src/sandbox/control/types.ts');

/** The members of an interface, with those of nested objects: `faults.add`. */
function membersOf(name: string): string[] {
  const [, body = ''] = new RegExp(`^export interface ${name} \\{\\n(.*?)^\\}`, 'ms').exec(types) ?? [];
  const members: string[] = [];
  let outer = '';
  for (const line of body.split('\n')) {
    const [, indent = '', member] = /^( {2}| {4})(?:readonly )?(\w+)\??[(:]/.exec(line) ?? [];
    if (member === undefined) continue;
    if (indent.length === 2) outer = member;
    const isMethod = /^\s+\w+\(/.test(line);
    if (indent.length === 2 && !/\{$/.test(line)) members.push(member);
    else if (indent.length === 4 && isMethod) members.push(`${outer}.${member}`);
  }
  return members;
}

const names = [...membersOf('TestSandbox'), ...membersOf('SandboxOptions')];

test('has a row for each member', () => {
  expect(names).toEqual(expect.arrayContaining(['url', 'faults.add', 'clock.advance', 'close', 'seedFile']));
  const hasRow = (name: string) => new RegExp(`^\\| .*\`${name.replace('.', '\\.')}[(\`]`, 'm').test(page);
  expect(names.filter((name) => !hasRow(name))).toEqual([]);
});

const routes = [...page.matchAll(/^\| (`[A-Z][^|]*?)(\/-\/sandbox\/[\w/:-]+)` \|/gm)].map(
  ([, verbs = '', path = '']) => ({
    path,
    methods: [...verbs.matchAll(/[A-Z]+/g)].map(([method]) => method),
  }),
);

test.each(routes)('$path accepts $methods and no other method', async ({ path, methods }) => {
  const { ask } = await openTestSandbox();
  const { status, headers } = await ask(`PATCH ${path.replace(':name', 'x')}`);
  expect([status, (headers.get('allow') ?? '').split(', ').sort()]).toEqual([
    405,
    [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort(),
  ]);
});
