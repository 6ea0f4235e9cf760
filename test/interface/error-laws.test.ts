/** Laws for every error: its prefix, its length and its words. */
import { describe, expect, test } from 'vitest';
import { areas } from '../../src/api/index.ts';
import { loadArea } from '../../src/cli/areas.ts';
import { scopesOf } from '../../src/spec/command.ts';
import { choicesOf } from '../../src/spec/field.ts';
import { kebab } from '../../src/spec/names.ts';
import { stackTrace } from '../support/process.ts';
import { sources } from '../support/sources.ts';
import { ask } from './service.ts';

const commands = (await Promise.all(areas.map(async (entry) => (await loadArea(entry)).commands))).flat();

/** Expect the form of an error: one `error:` line, details that are indented, then hints. */
function expectForm(err: string, line: string): void {
  const own = err.replace(/^warning: .*\n/gm, '');
  expect(own, line).toMatch(/^error: \S.*\n(?: {2}.*\n)*(?:hint: .*\n)*$/);
  expect(err, line).not.toMatch(stackTrace);
}

describe('each command of the catalogue', () => {
  const lineOf = (one: (typeof commands)[number]): string[] => [
    one.area,
    one.name,
    ...one.arguments.filter(({ required }) => required).map(() => '1'),
    ...(scopesOf(one)[0] ? [`--${scopesOf(one)[0]?.name}`, '1'] : []),
  ];

  test('reports an unknown flag with a prefix and a hint', async () => {
    for (const command of commands) {
      const line = [...lineOf(command), '--no-such-flag'];
      const { code, err } = await ask(line);
      expect(code, line.join(' ')).toBe(2);
      expectForm(err, line.join(' '));
      expect(err, line.join(' ')).toMatch(/^hint: /m);
    }
  });

  test('reports an invalid choice in less than 100 characters, and lists the choices', async () => {
    let checked = 0;
    for (const command of commands) {
      for (const [name, field] of Object.entries(command.fields)) {
        if (!choicesOf(field) || command.arguments.some((argument) => argument.field === name)) continue;
        const line = [...lineOf(command), `--${kebab(name)}`, '77', '--dry-run'];
        const { err } = await ask(line);
        if (!err.includes('unknown value')) continue;
        checked++;
        expectForm(err, line.join(' '));
        expect(err.split('\n')[0]?.length, line.join(' ')).toBeLessThan(100);
        expect(err, line.join(' ')).toMatch(/^hint: values: /m);
      }
    }
    expect(checked).toBeGreaterThan(30);
  });
});

describe('each way to fail', () => {
  const statuses = [400, 401, 403, 404, 405, 409, 410, 412, 413, 414, 415, 422, 429, 500, 501, 502, 503, 504];
  const json = ['{}', '{"message":"no"}', '{"message":{"key":["is bad"]}}', '[1]'];
  const bodies = [...json, '', '<html></html>', 'no'];
  const lines = [
    'variables create K v -p 1',
    'jobs list -p 1 --all',
    'variables get K -p 1 --environment-scope x',
    'files raw a.txt --ref main -p 1',
    'api GET version',
  ];

  test.each(statuses)('status %i', async (status) => {
    const [line, ...others] = lines;
    const cases = bodies.map((body) => [line, body]);
    for (const [line, body = ''] of [...cases, ...others.map((other) => [other, '{"message":"no"}'])]) {
      const { code, err } = await ask(`${line} --retries 0`, { status, body });
      expect(code, `${line} ${body}`).toBeGreaterThan(2);
      expectForm(err, `${line} ${status} ${body}`);
    }
  });

  test('a response that is not what the API promises', async () => {
    for (const line of lines.slice(0, 3))
      for (const body of ['', 'text', '{"a":', '"x"', '<html></html>']) {
        const { code, err } = await ask(line, { body });
        expect(code, `${line} ${body}`).toBe(8);
        expectForm(err, `${line} ${body}`);
        expect(err, `${line} ${body}`).toMatch(/^hint: /m);
      }
  });
});

test('the messages in the source are short, start in lower case and have no full stop', () => {
  const message = /(?:\busage\(|new Failure\(\s*(?:'\w+'|kind),)\s*(['`])((?:\\.|(?!\1)[^\\])*)\1/gs;
  const messages = [...sources.values()].flatMap((source) =>
    [...source.matchAll(message)].map(([, , text = '']) => text.replace(/\$\{[^}]*\}/g, 'VALUE')),
  );
  expect(messages.length).toBeGreaterThan(150);
  const bad = messages.filter(
    (text) => text.length + 'error: '.length >= 100 || /\.$/.test(text) || /^[A-Z](?![A-Z_])/.test(text),
  );
  expect(bad).toEqual([]);
});
