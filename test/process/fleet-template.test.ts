/** The CI/CD component templates/fleet.yml: its jobs share the projects of a group, and the last one reports on all. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { makeFolder, run } from '../docs/examples.ts';

const root = resolve(import.meta.dirname, '../..');
const text = await readFile(resolve(root, 'templates/fleet.yml'), 'utf8');
const [header] = parseAllDocuments(text).map((one) => one.toJS());
const inputs = header.spec.inputs as Record<string, { default?: unknown; description: string }>;
const required = { group: 'acme', image: 'svc:latest' };

interface Job {
  readonly script: readonly string[];
  readonly variables?: Record<string, { value: string; expand: boolean }>;
  readonly parallel?: number;
  readonly needs?: readonly string[];
  readonly when?: string;
  readonly artifacts?: { paths: readonly string[]; when: string };
}

/** The jobs, as the service makes them of the file and of inputs. */
function jobsOf(given: Readonly<Record<string, string | number>>): Record<string, Job> {
  const [, template = ''] = text.split('\n---\n');
  return parse(
    template.replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) =>
      String(given[name] ?? inputs[name]?.default),
    ),
  );
}

const folder = await makeFolder();

test('uses each input, and no other; only the group and the image are required', () => {
  const used = new Set([...text.matchAll(/\$\[\[ inputs\.(\w+) \]\]/g)].map(([, name]) => name));
  expect([...used].sort()).toEqual(Object.keys(inputs).sort());
  const without = Object.entries(inputs).filter(([, one]) => one.default === undefined);
  expect(without.map(([name]) => name)).toEqual(['group', 'image']);
});

test('texts reach the script as variables, which nothing expands', () => {
  const { fleet } = jobsOf({ ...required, group: 'INPUT', files: 'INPUT', base_url: 'INPUT' });
  expect(fleet?.script.join('')).not.toMatch(/[^_]INPUT[^_]/);
  expect(Object.values(fleet?.variables ?? {}).map(({ expand }) => expand)).toEqual([false, false, false]);
});

test('the last job waits for all, and runs after a failure too', () => {
  const jobs = jobsOf({ ...required, parallel: 20 });
  expect(jobs['fleet']).toMatchObject({ parallel: 20, artifacts: { when: 'always' } });
  expect(jobs['fleet:report']).toMatchObject({ needs: ['fleet'], when: 'always' });
  expect(jobs['fleet:report']?.script).toEqual(["svc each report svc-journal-*.ndjson --expect '20'"]);
});

test('each project is in one journal; the report has one exit code for all', async () => {
  const { fleet, 'fleet:report': report } = jobsOf({ ...required, parallel: 3 });
  const script = `
printf 'svc: 1\\nvariables: [{ key: LOG_LEVEL, value: info }]\\n' > settings.yaml
export SVC_INPUT_GROUP=acme SVC_INPUT_FILES=settings.yaml SVC_INPUT_BASE_URL= CI_NODE_TOTAL=3
for CI_NODE_INDEX in 1 2 3; do
  export CI_NODE_INDEX
  sh -eu <<'JOB' > /dev/null 2>&1 || exit 1
${fleet?.script.join('\n')}
JOB
done
${report?.script.join('\n')}
rm svc-journal-2.ndjson
echo "exit $?"
${report?.script.join('\n')}
`;
  const { exitCode, stdout, stderr } = await run(folder, script);
  expect(stdout).toMatch(/^3 targets: 3 done, 0 failed, 0 unknown, 0 not started\nexit 0\n/);
  expect([exitCode, stderr]).toEqual([11, expect.stringContaining('3')]);
});
