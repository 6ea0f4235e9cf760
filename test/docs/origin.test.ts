/** All documentation marks the commands that the specification does not contain, and no others. */
import { expect, test } from 'vitest';
import { referencePages } from '../../scripts/reference/reference.ts';
import { commandHelp, groupHelp } from '../../src/docs/help.ts';
import { manPages } from '../../src/docs/man/man.ts';
import { type CommandGroup, pathOf } from '../../src/spec/command.ts';
import { linesOf } from '../support/table.ts';
import { loadManual } from './catalogue.ts';

const manual = await loadManual();
const plain = { width: 80, color: false };
const mark = 'Undocumented endpoint';
/** The scope of each request that is not in the specification, by command. */
const unspecified = new Map(
  linesOf(new URL('../unspecified.txt', import.meta.url)).map((line) => {
    const [, name = '', scope = ''] = /^(\S+ \S+).* --(\w+)\t/.exec(line) ?? [];
    return [name, scope] as const;
  }),
);

test('help marks each command, with the scope if it concerns one of several requests', () => {
  const marked = manual.areas.flatMap(({ commands }) =>
    commands.flatMap((command) => {
      const path = pathOf(command);
      const page = commandHelp(command, plain, manual).replace(/\s+/g, ' ');
      const [, scope] = /Undocumented endpoint( with --\w+)?:/.exec(page) ?? [];
      if (!page.includes(mark)) return [];
      const several = command.endpoints.some((endpoint) => !endpoint.unspecified);
      expect(scope, path).toBe(several ? ` with --${unspecified.get(path)}` : undefined);
      return [path];
    }),
  );
  expect(marked.sort()).toEqual([...unspecified.keys()].sort());
});

test('the command list of an area marks them', () => {
  const hooks = manual.areas.find(({ name }) => name === 'hooks') as CommandGroup;
  const page = groupHelp(hooks, plain, manual).replace(/\s+/g, ' ');
  expect(page).toMatch(
    /update <hook-id>\.\.\. Change a webhook \(--group or --project; undocumented endpoint\)/,
  );
  expect(page.match(/undocumented endpoint\)/g)).toHaveLength(2);
});

test('the reference marks the same commands', () => {
  const parts = [...referencePages(manual, {}).values()].flatMap((page) => page.split('\n## svc ').slice(1));
  const marked = parts.filter((part) => part.includes(mark)).map((part) => part.split('\n')[0]);
  expect(marked.sort()).toEqual([...unspecified.keys()].sort());
});

test('the manual marks the same commands', async () => {
  const pages = manPages(manual);
  const marked = manual.areas.flatMap(({ name }) => {
    const parts = (pages.get(`svc-${name}.1`) ?? '').split(/^\.SS /m).slice(1);
    return parts
      .filter((part) => part.replace(/(?:\\?\s)+/g, ' ').includes(mark))
      .map((part) => `${name} ${(part.split('\n')[0] as string).replace(/["\\]|svc [a-z-]+ /g, '')}`);
  });
  expect(marked.sort()).toEqual([...unspecified.keys()].sort());
});
