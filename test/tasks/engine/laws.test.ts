/** The laws of the engine, for every kind: services that return less, in another order, or with defaults filled in. */
import { describe, expect, test } from 'vitest';
import { resources } from '../../../src/api/resources.ts';
import type { Request } from '../../../src/http/transport.ts';
import { jsonLines } from '../../support/svc.ts';
import { changesByKind } from './changes-by-kind.ts';
import {
  apply,
  changing,
  exited,
  type Intercept,
  isRead,
  openStateWorld,
  prune as pruning,
  withBody,
  writes,
  wroteNothing,
} from './world.ts';

type Row = Record<string, unknown>;

const isJson = (text: string) => /^\s*[[{]/.test(text);

/** Change each JSON body that the service returns for a read. */
function reading(change: (row: Row) => Row, order: (rows: Row[]) => Row[] = (rows) => rows): Intercept {
  const isRow = (request: Request) => isRead(request) && !/\/raw/.test(request.url);
  return changing(isRow, (reply) =>
    withBody(reply, (text) => {
      if (!isJson(text) || reply.status !== 200) return text;
      const value: Row | Row[] = JSON.parse(text);
      return JSON.stringify(Array.isArray(value) ? order(value.map(change)) : change(value));
    }),
  );
}

const without =
  (...names: readonly string[]) =>
  (row: Row): Row =>
    Object.fromEntries(
      Object.entries(row).flatMap(([name, value]) => {
        if (names.includes(name)) return [];
        const inner = name === 'events' && value !== null && typeof value === 'object';
        return [[name, inner ? without(...names)(value as Row) : value]];
      }),
    );

/** The attributes of the response from which each kind reads others. */
const sources: Readonly<Record<string, readonly string[]>> = {
  approval_rules: ['users', 'groups'],
  protected_branches: ['push_access_levels', 'merge_access_levels', 'unprotect_access_levels'],
  snippets: ['files', 'file_name'],
};

const loaded = await Promise.all(
  Object.entries(resources).map(async ([kind, load]) => ({ kind, resource: await load() })),
);
const cases = loaded.flatMap(({ kind, resource }) => {
  const identifying = new Set([...resource.identity.flat(), 'id', 'slug']);
  const names = [...Object.keys(resource.attributes), ...(sources[kind] ?? [])];
  const others = names.filter((name) => !identifying.has(name));
  const sets: (readonly string[])[] = [
    ...[...new Set([...names, 'id'])].map((name) => [name]),
    others,
    names,
  ];
  return sets.map((missing) => [kind, missing] as const);
});

const prune = `${pruning} --max-deletes 100`;

describe('a service that returns less', () => {
  test.each(cases)(
    '%s without %j: nothing is sent twice, nothing declared is deleted',
    async (kind, missing) => {
      const file = changesByKind[kind] ?? '';
      const less = reading(without(...missing));
      const world = await openStateWorld();
      const first = await world.state(prune, file, less);
      expect([0, 2, 8, 11], first.err).toContain(first.code);
      const second = await world.state(prune, file, less);
      expect([0, 2, 8, 11], second.err).toContain(second.code);
      expect(writes(second)).toEqual([]);
      // A whole view afterwards: the declared resources exist.
      const whole = await world.state('diff -f - -o ndjson', file);
      const lines = jsonLines(whole.out);
      const untouched = await (await openStateWorld()).state('diff -f - -o ndjson', file);
      const before = jsonLines(untouched.out);
      const created = (all: { action: string; identity: object }[]) =>
        all.filter(({ action }) => action === 'create').map(({ identity }) => JSON.stringify(identity));
      expect(created(before)).toEqual(expect.arrayContaining(created(lines)));
    },
  );

  test.each(loaded.map(({ kind }) => kind))('%s: what cannot be compared is reported', async (kind) => {
    const resource = loaded.find((one) => one.kind === kind)?.resource;
    const names = new Set([...Object.keys(resource?.attributes ?? {}), ...(sources[kind] ?? [])]);
    // The files of a snippet are read without their list.
    for (const name of [...(resource?.identity.flat() ?? []), 'protected', 'files']) names.delete(name);
    const file = changesByKind[kind] ?? '';
    const world = await openStateWorld();
    await world.state(apply, file);
    const compared = await exited(0, world.state('diff -f -', file, reading(without(...names))));
    const declared = [...names].filter((name) => new RegExp(`\\b${name}:`).test(file));
    const line = compared.out.split('\n').find((text) => text.includes('not compared')) ?? '';
    for (const name of declared) expect(line).toMatch(new RegExp(`not compared: .*\\b${name}\\b`));
  });
});

describe('a service that returns the same in another way', () => {
  test.each(loaded.map(({ kind }) => kind))('%s: in reverse order', async (kind) => {
    const file = changesByKind[kind] ?? '';
    const world = await openStateWorld();
    const reverse = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reverse).reverse();
      if (value === null || typeof value !== 'object') return value;
      return Object.fromEntries(
        Object.entries(value)
          .map(([name, one]) => [name, reverse(one)])
          .reverse(),
      );
    };
    const reversed = reading(
      (row) => reverse(row) as Row,
      (rows) => rows.reverse(),
    );
    await exited(0, world.state(apply, file, reversed));
    await wroteNothing(0, world.state(apply, file, reversed));
  });

  test.each(loaded.map(({ kind }) => kind))('%s: with defaults for what is not declared', async (kind) => {
    const file = changesByKind[kind] ?? '';
    const resource = loaded.find((one) => one.kind === kind)?.resource;
    const undeclared = Object.keys(resource?.attributes ?? {}).filter(
      (name) => !new RegExp(`\\b${name}:`).test(file) && !resource?.identity.flat().includes(name),
    );
    const filled = Object.fromEntries(undeclared.map((name) => [name, 'default']));
    const world = await openStateWorld();
    const defaults = reading((row) => ({ ...row, ...filled }));
    await exited(0, world.state(apply, file, defaults));
    await wroteNothing(0, world.state(apply, file, defaults));
    await exited(0, world.state('diff -f -', file, defaults));
  });
});
