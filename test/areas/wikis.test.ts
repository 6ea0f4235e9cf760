import { expect, test } from 'vitest';
import { makeExampleFolder, openWorld } from '../support/sandbox.ts';
import { done, forbidden, incomplete, missing, rejected, shows, unseen } from './scenario.ts';

const acme = '--group acme';

shows(`wikis list ${acme}`, `wikis get home ${acme}`);
missing(
  `wikis get nowhere ${acme}`,
  `wikis update nowhere ${acme} --content x`,
  `wikis delete nowhere ${acme} --yes`,
  'wikis list --group nowhere',
);
unseen('outsider', 'wikis list --group umbrella');
forbidden('reporter', `wikis create ${acme} --title x --content x`, `wikis delete home ${acme} --yes`);
forbidden('none', `wikis create ${acme} --title x --content x`);
incomplete(
  `wikis create ${acme} --title x`,
  `wikis create ${acme} --content x`,
  `wikis update home ${acme}`,
  `wikis create ${acme} --title x --content x --format word`,
  `wikis attach nowhere.png ${acme}`,
  `wikis delete home ${acme}`,
);
rejected(`wikis create ${acme} --title home --content again`);

test('creates, reads, lists, updates and deletes pages', async () => {
  const world = await openWorld();
  const page = await world.json(`wikis create ${acme} --title guides/setup --content "# Set up"`);
  expect(page).toMatchObject({
    slug: 'guides/setup',
    content: '# Set up',
    format: 'markdown',
    encoding: 'UTF-8',
  });
  expect(await world.json(`wikis get guides/setup ${acme}`)).toMatchObject({
    slug: 'guides/setup',
    content: '# Set up',
  });
  const slugs = async () =>
    (await world.json(`wikis list ${acme}`)).map(({ slug }: { slug: string }) => slug);
  expect(await slugs()).toContain('guides/setup');
  const moved = await world.json(`wikis update guides/setup ${acme} --title guides/start`);
  expect([moved.slug, moved.content]).toEqual(['guides/start', '# Set up']);
  expect((await world.run(`wikis get guides/setup ${acme}`)).code).toBe(5);
  await done(world, `wikis delete guides/start ${acme} --yes`);
  expect(await slugs()).not.toContain('guides/start');
});

test('prints content only if requested, and as HTML', async () => {
  const world = await openWorld();
  const [bare] = await world.json(`wikis list ${acme}`);
  expect(bare).not.toHaveProperty('content');
  const [full] = await world.json(`wikis list ${acme} --with-content`);
  expect(typeof full.content).toBe('string');
  expect((await world.json(`wikis get home ${acme} --render-html`)).content).toMatch(/<h1/);
});

test('uploads an attachment', async () => {
  const world = await openWorld();
  const cwd = await makeExampleFolder();
  const kept = await world.json(`wikis attach logo.png ${acme}`, { cwd });
  expect(kept.file_name).toBe('logo.png');
  expect(kept.link.markdown).toContain(kept.link.url);
});
