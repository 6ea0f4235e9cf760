import { expect, test } from 'vitest';
import { exampleFiles, makeExampleFolder, openWorld } from '../support/sandbox.ts';
import { forbidden, incomplete, rejected, shows } from './scenario.ts';

shows('appearance get');
forbidden('maintainer', 'appearance get', 'appearance update --title Mine');
forbidden('none', 'appearance get', 'appearance update --title Mine');
forbidden('readonly', 'appearance update --title Mine');
incomplete('appearance update --logo absent.png', 'appearance update --email-header-and-footer-enabled=x');
rejected('appearance update --message-background-color blue-ish');

test('updates and returns the appearance', async () => {
  const world = await openWorld();
  const changed = await world.json(
    'appearance update --title Acme --header-message Hello --no-email-header-and-footer-enabled',
  );
  expect(changed).toMatchObject({
    title: 'Acme',
    header_message: 'Hello',
    email_header_and_footer_enabled: false,
  });
  expect(await world.json('appearance get')).toEqual(changed);
  await world.json('appearance update --data {"header_message":""}'.replace(/--data (.*)$/, "--data '$1'"));
  expect(await world.json('appearance get')).toMatchObject({ title: 'Acme', header_message: '' });
});

test('uploads a logo', async () => {
  const world = await openWorld();
  const cwd = await makeExampleFolder();
  expect(exampleFiles['logo.png']).toBeDefined();
  const { logo } = await world.json('appearance update --logo logo.png', { cwd });
  expect(logo).toMatch(/logo\.png$/);
  expect((await world.json('appearance get')).logo).toBe(logo);
});
