import type { Seeder } from '../../seed/seeder.ts';
import { type Page, withVersion } from './wiki.ts';

type Draft = readonly [slug: string, format: string, ...contents: string[]];

const drafts: readonly Draft[] = [
  [
    'home',
    'markdown',
    '# Acme\n\nWelcome.',
    '# Acme\n\nWelcome. Begin with the [guide for newcomers](guides/onboarding).',
  ],
  ['guides/onboarding', 'markdown', '# Your first day\n\n1. Ask for a token\n2. Launch something *small*\n'],
  ['guides/release', 'markdown', '# How we release\n\n- Tag the commit\n- Tell everybody\n'],
  ['legal', 'asciidoc', '= Imprint\n\nAcme, Launch Road 1\n'],
];

/** Four pages of the group acme, with two versions of home. */
export const wikis: Seeder = (world) => {
  for (const [slug, format, ...contents] of drafts) {
    let versions: Page['versions'] = [];
    for (const [index, content] of contents.entries()) {
      const state = { title: slug, format, content };
      versions = withVersion(versions, state, `2026-02-0${index + 1}T09:00:00.000Z`);
    }
    world.table<Page>('wikis').insert({ group_id: 10, slug, versions });
  }
};
