/** The recipes of docs/cookbook/fleets.md on 320 projects: at most two commands each, and a second run sends no write. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../docs/examples.ts';

const page = await readFile(resolve(import.meta.dirname, '../../docs/cookbook/fleets.md'), 'utf8');
const recipes = [...page.matchAll(/^## (.+)\n[\s\S]*?^```sh\n([\s\S]*?)^```$/gm)].map(
  ([, title = '', script = '']) => {
    const lines = script.split('\n');
    // Creates what the recipe is about.
    const setup = lines.filter((line) => line.startsWith('svc ') && line.includes('--quiet'));
    const commands = lines.filter((line) => line.startsWith('svc ') && !setup.includes(line));
    return {
      title,
      setup: setup.join('\n'),
      commands,
      script: lines.filter((one) => !setup.includes(one)).join('\n'),
    };
  },
);
const folder = await makeFolder();

test('there are five', () => expect(recipes).toHaveLength(5));

/** The writes of the audit log, in their order. */
const writesIn = (log: string) =>
  log.split('\n').flatMap((line) => {
    const { method = 'GET', url } =
      line === '' ? {} : (JSON.parse(line) as { method?: string; url?: string });
    return /GET|HEAD/.test(method) ? [] : [`${method} ${url}`];
  });

describe.concurrent('on 320 projects', () => {
  test.each(recipes)('$title', async ({ title, setup, commands, script }) => {
    expect(commands.length).toBeLessThanOrEqual(2);
    expect(commands.join('\n')).not.toMatch(/\| *(jq|cut|grep|xargs)\b|\bfor\b/);
    const cwd = await mkdtemp(join(folder, 'run-'));
    const both = `exec 2>&1
${setup}
SVC_AUDIT_LOG=first.ndjson; export SVC_AUDIT_LOG
(${script}) > first.txt || echo "exit $?"
SVC_AUDIT_LOG=second.ndjson
(${script}) > second.txt || echo "exit $?"
`;
    const { stdout, exitCode } = await execa(
      'svc',
      ['sandbox', 'exec', '--scale', 'projects=320', '--', 'bash', '-u', '-o', 'pipefail', '-c', both],
      {
        cwd,
        env: {
          PATH: `${folder}/bin:${process.env['PATH']}`,
          HOME: cwd,
          SVC_PROJECT: 'acme/rocket',
        },
        extendEnv: false,
        reject: false,
      },
    );
    const read = (name: string) => readFile(resolve(cwd, name), 'utf8').catch(() => '');
    const isCopy = title.startsWith('Copy');
    const exits = stdout.split('\n').filter((line) => line.startsWith('exit '));
    expect([exitCode, ...exits], stdout).toEqual(isCopy ? [0, 'exit 11', 'exit 11'] : [0]);
    const [first, second] = [writesIn(await read('first.ndjson')), writesIn(await read('second.ndjson'))];
    const isRead = title.startsWith('See');
    expect(first.length > 0).toBe(!isRead);
    // A rotation repeats its updates.
    expect(second.sort()).toEqual(title.includes('secret') ? first.sort() : []);
    expect((await read('first.txt')).split('\n').length).toBeLessThan(100);
    if (title.startsWith('Apply')) expect(first.length).toBeGreaterThan(600);
  });
});
