import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeExampleFolder, openWorld } from '../support/sandbox.ts';
import { done, forbidden, incomplete, missing, rejected, shows, unseen } from './scenario.ts';

const rocket = '--project acme/rocket';

shows(`snippets list ${rocket}`, `snippets get 52 ${rocket}`, `snippets user-agent 51 ${rocket}`);
missing(
  `snippets get 999 ${rocket}`,
  `snippets raw 999 ${rocket}`,
  `snippets raw-file 52 main nowhere.py ${rocket}`,
  `snippets raw-file 52 nowhere main.py ${rocket}`,
  `snippets update 999 ${rocket} --title x`,
  `snippets delete 999 ${rocket} --yes`,
);
unseen('outsider', 'snippets list --project acme/website');
forbidden('guest', `snippets create ${rocket} --title x --file file_path=a,content=b`);
forbidden('owner', `snippets user-agent 51 ${rocket}`);
forbidden('none', `snippets create ${rocket} --title x --file file_path=a,content=b`);
incomplete(
  `snippets create ${rocket} --title x`,
  `snippets create ${rocket} --file file_path=a,content=b`,
  `snippets create ${rocket} --title x --file file_path=a`,
  `snippets create ${rocket} --title x --visibility some --file file_path=a,content=b`,
  `snippets delete 51 ${rocket}`,
);
rejected(
  `snippets update 52 ${rocket} --file action=update,file_path=nowhere.py,content=x`,
  `snippets create ${rocket} --title "" --file file_path=a,content=b`,
);

test('creates, reads, lists, updates and deletes snippets', async () => {
  const world = await openWorld();
  const cwd = await makeExampleFolder();
  const created = await world.json(
    `snippets create ${rocket} --title Orbit --file file_path=main.py,content=@main.py --file file_path=notes.txt,content=@notes.txt`,
    { cwd },
  );
  expect(created).toMatchObject({ title: 'Orbit', file_name: 'main.py', project_id: 100, imported: false });
  expect(await world.json(`snippets get ${created.id} ${rocket}`)).toMatchObject({
    id: created.id,
    title: 'Orbit',
  });
  expect((await world.json(`snippets list ${rocket}`)).map(({ id }: { id: number }) => id)).toContain(
    created.id,
  );
  const main = await readFile(join(cwd, 'main.py'), 'utf8');
  expect((await world.run(`snippets raw ${created.id} ${rocket}`)).out).toBe(main);
  expect((await world.run(`snippets raw-file ${created.id} main notes.txt ${rocket}`)).out).toBe(
    await readFile(join(cwd, 'notes.txt'), 'utf8'),
  );
  await world.json(
    `snippets update ${created.id} ${rocket} --title Higher --file action=move,previous_path=notes.txt,file_path=read.txt --file action=update,file_path=main.py,content=new --file action=create,file_path=c.txt,content=c`,
  );
  expect((await world.json(`snippets get ${created.id} ${rocket}`)).title).toBe('Higher');
  expect((await world.run(`snippets raw-file ${created.id} main main.py ${rocket}`)).out).toBe('new');
  expect((await world.run(`snippets raw-file ${created.id} main read.txt ${rocket}`)).code).toBe(0);
  expect((await world.run(`snippets raw-file ${created.id} main notes.txt ${rocket}`)).code).toBe(5);
  await done(world, `snippets delete ${created.id} ${rocket} --yes`);
  expect((await world.run(`snippets get ${created.id} ${rocket}`)).code).toBe(5);
});

test('shows a private snippet only to members', async () => {
  const world = await openWorld();
  const created = await world.json(
    `snippets create ${rocket} --title x --visibility private --file file_path=a,content=b`,
  );
  expect((await world.run(`snippets get ${created.id} ${rocket}`, { as: 'outsider' })).code).toBe(5);
  expect((await world.run(`snippets get ${created.id} ${rocket}`, { as: 'reporter' })).code).toBe(0);
});
