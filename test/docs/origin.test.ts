/** What is not in the specification says so wherever it is documented, and nothing else does. */
import { expect, test } from 'vitest';
import { areaHelp, commandHelp } from '../../src/docs/help.ts';
import { manPages } from '../../src/docs/man/man.ts';
import { commandsOf } from '../../src/docs/model.ts';
import { referencePage } from '../../src/docs/reference.ts';
import { linesOf } from '../support/table.ts';
import { loadManual } from './catalogue.ts';

const manual = await loadManual();
const plain = { width: 80, color: false };
const mark = 'Not in the specification';
/** `branches protections` by name, with the place of the call. */
const others = new Map(
  linesOf(new URL('../unspecified.txt', import.meta.url)).map((line) => {
    const [, name = '', place = ''] = /^(\S+ \S+).* --(\w+)\t/.exec(line) ?? [];
    return [name, place] as const;
  }),
);

test('help marks each command, and names the place where only one of several is meant', () => {
  const marked = manual.areas.flatMap(({ entry, area }) =>
    commandsOf(area).flatMap(({ name, endpoints }) => {
      const page = commandHelp(entry, endpoints, plain, manual).replace(/\s+/g, ' ');
      const [, place] = /Not in the specification( with --\w+)?:/.exec(page) ?? [];
      if (!page.includes(mark)) return [];
      const several = endpoints.some(({ unspecified }) => !unspecified);
      expect(place, `${entry.name} ${name}`).toBe(
        several ? ` with --${others.get(`${entry.name} ${name}`)}` : undefined,
      );
      return [`${entry.name} ${name}`];
    }),
  );
  expect(marked.sort()).toEqual([...others.keys()].sort());
});

test('the list of commands marks those that have no specified request', () => {
  const hooks = manual.areas.find(({ entry }) => entry.name === 'hooks') as (typeof manual.areas)[number];
  const page = areaHelp(hooks.entry, hooks.area, plain).replace(/\s+/g, ' ');
  expect(page).toMatch(/update <hook-id> Change a webhook \(not in the specification\)/);
  expect(page.match(/\(not in the specification\)/g)).toHaveLength(2);
});

test('the reference marks the same commands', () => {
  const parts = referencePage(manual).split('\n### svc ').slice(1);
  const marked = parts.filter((part) => part.includes(mark)).map((part) => part.split('\n')[0]);
  expect(marked.sort()).toEqual([...others.keys()].sort());
});

test('the manual marks the same commands', () => {
  const pages = manPages(manual);
  const marked = manual.areas.flatMap(({ entry }) => {
    const parts = (pages.get(`svc-${entry.name}.1`) ?? '').split(/^\.SS /m).slice(1);
    return parts
      .filter((part) => part.replace(/\s+/g, ' ').includes(mark))
      .map((part) => `${entry.name} ${(part.split('\n')[0] as string).replace(/["\\]/g, '')}`);
  });
  expect(marked.sort()).toEqual([...others.keys()].sort());
});
