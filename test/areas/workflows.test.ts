import { expect, test } from 'vitest';
import { openWorld } from '../support/sandbox.ts';

const world = await openWorld();

const rocket = '--project acme/rocket';
const acme = '--group acme';

test('prints the attributes of get without content for head', async () => {
  for (const path of ['README.md', 'bin/launch.sh', '"docs/café menu.md"']) {
    const { content: _, ...facts } = await world.json(`files get ${path} ${rocket} --ref main`);
    expect(await world.json(`files head ${path} ${rocket} --ref main`)).toEqual(facts);
  }
});

test('distinguishes epics of subgroups with the same number in a narrow table', async () => {
  const { out } = await world.run(`epics list ${acme}`, { terminal: 40, env: { NO_COLOR: '1' } });
  const rows = out
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ +/).slice(0, 2).join(' '));
  // A number is unique only in its group, and the list includes subgroups (sections 2.19 and 4.20).
  expect(rows.filter((row) => row.startsWith('1 ')).sort()).toEqual(['1 10', '1 11']);
});

test('names the approvers in the table', async () => {
  for (const how of [{}, { terminal: 80, env: { NO_COLOR: '1' } }]) {
    const { out } = await world.run('approval-rules list --project acme/rocket', how);
    const [header = '', engines] = out.split('\n');
    expect(header).toMatch(/USERS +GROUPS/);
    expect(engines).toMatch(/Engines.* mia, devon +acme\b/);
  }
});

test('the newest pipeline stays the newest after jobs of an older one run again', async () => {
  const newest = async () => (await world.json(`pipelines latest ${rocket}`)).id;
  expect(await newest()).toBe(1012);
  await world.json(`jobs retry 5234 ${rocket}`);
  await world.json(`pipelines retry 1011 ${rocket}`);
  expect(await newest()).toBe(1012);
});

test('several resources are a table with the columns of their list', async () => {
  const header = async (line: string) =>
    (await world.run(`${line} -p acme/rocket -o table`)).out.split('\n')[0]?.trim().split(/ {2,}/);
  const columns = await header('jobs list --limit 2');
  expect(columns?.length).toBeGreaterThan(4);
  expect(await header('jobs get 5280 5279')).toEqual(columns);
});

test('a page in Markdown is rendered on a terminal, and its source printed with --raw and in a pipe', async () => {
  const print = async (flags = '', terminal?: number, page = 'home') =>
    (
      await world.run(`wikis get ${page} ${acme} ${flags}`, {
        env: { NO_COLOR: '1' },
        ...(terminal ? { terminal } : {}),
      })
    ).out;
  const source =
    /^Content: +# Acme\n\s*Welcome\. Begin with the \[guide for newcomers\]\(guides\/onboarding\)\.$/m;
  expect(await print('', 100)).toMatch(
    /^Content: +Acme\n\s*Welcome\. .* newcomers \(guides\/onboarding\)\.$/m,
  );
  for (const shown of [await print(), await print('--raw', 100), await print('--raw')])
    expect(shown).toMatch(source);
  expect(await print('', 100, 'legal')).toMatch(/^Content: += Imprint$/m);
  expect(await print('', undefined, 'legal')).toMatch(/^Content: += Imprint\n\n? *\n? *Acme/m);
  expect(await print('-o raw', 100)).toMatch(/^\{"title":"home",/);
});
