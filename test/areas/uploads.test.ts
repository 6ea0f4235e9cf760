import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exampleFiles, makeExampleFolder, openWorld } from '../support/sandbox.ts';
import { done, forbidden, incomplete, missing, shows, unseen } from './scenario.ts';

const rocket = '--project acme/rocket';
const nowhere = 'f'.repeat(32);

shows(`uploads list ${rocket}`);
missing(
  `uploads get 999 ${rocket}`,
  `uploads delete 999 ${rocket} --yes`,
  `uploads get-by-secret ${nowhere} rocket.png ${rocket}`,
  `uploads delete-by-secret ${nowhere} rocket.png ${rocket} --yes`,
);
unseen('outsider', 'uploads list --project acme/website');
forbidden(
  'developer',
  `uploads list ${rocket}`,
  `uploads get 71 ${rocket}`,
  `uploads delete 71 ${rocket} --yes`,
);
forbidden('none', `uploads list ${rocket}`);
incomplete(
  `uploads create ${rocket}`,
  `uploads create nowhere.png ${rocket}`,
  `uploads get-by-secret short rocket.png ${rocket}`,
  `uploads delete 71 ${rocket}`,
);

test('creates, lists, downloads and deletes uploads', async () => {
  const world = await openWorld();
  const cwd = await makeExampleFolder();
  const created = await world.json(`uploads create logo.png ${rocket}`, { cwd });
  expect(created).toMatchObject({ alt: expect.any(String), full_path: expect.any(String) });
  const [, secret = ''] = /\/uploads\/([0-9a-f]{32})\/logo\.png$/.exec(created.url) ?? [];
  expect(secret).toHaveLength(32);
  expect(created.markdown).toContain(created.url);
  const [first] = await world.json(`uploads list ${rocket}`);
  expect(first).toMatchObject({
    id: created.id,
    filename: 'logo.png',
    size: exampleFiles['logo.png']?.length,
  });
  for (const which of [`get ${created.id}`, `get-by-secret ${secret} logo.png`]) {
    await done(world, `uploads ${which} ${rocket} --output-file out.png --force`, { cwd });
    expect(await readFile(join(cwd, 'out.png'))).toEqual(exampleFiles['logo.png']);
  }
  await done(world, `uploads delete-by-secret ${secret} logo.png ${rocket} --yes`);
  expect((await world.run(`uploads get ${created.id} ${rocket}`)).code).toBe(5);
});

test('lets a guest download by secret', async () => {
  const world = await openWorld();
  const ran = await world.run(`uploads get-by-secret fedcba9876543210fedcba9876543210 notes.txt ${rocket}`, {
    as: 'guest',
  });
  expect([ran.code, ran.out.length > 0]).toEqual([0, true]);
});
