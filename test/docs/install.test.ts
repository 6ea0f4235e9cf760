/** docs/install.md and docs/ci.md name what a release and the component contain. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8');
const install = read('docs/install.md');

test('the table of archives has each platform of a release, and no other', () => {
  const { platforms } = JSON.parse(read('scripts/package/runtime.json')) as { platforms: object };
  const named = [...install.matchAll(/`svc-<version>-([\w-]+)\.tar\.gz`/g)].map(([, name]) => name);
  expect(named.sort()).toEqual(Object.keys(platforms).sort());
});

test('the Dockerfile has the arguments that the page sets', () => {
  const args = [...read('Dockerfile').matchAll(/^ARG (\w+)/gm)].map(([, name]) => name);
  const used = [...install.matchAll(/--build-arg (\w+)=/g)].map(([, name]) => name);
  expect(used.length).toBeGreaterThan(2);
  for (const name of used) expect(args).toContain(name);
});

test('the table of the component has each input', () => {
  const [text = ''] = read('templates/svc.yml').split('\n---\n');
  const { spec } = parse(text) as { spec: { inputs: object } };
  const [, table = ''] = /\| Input \|.*\n((?:\|.*\n)+)/.exec(read('docs/ci.md')) ?? [];
  const named = table
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual(Object.keys(spec.inputs).sort());
});
