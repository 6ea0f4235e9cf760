import type { Visibility } from '../../core/rows.ts';
import type { Seeder } from '../../seed/seeder.ts';
import { type Snippet, type SnippetFile, withFiles } from './snippet.ts';

type Draft = readonly [
  id: number,
  author: number,
  title: string,
  visibility: Visibility,
  ...files: SnippetFile[],
];

const drafts: readonly Draft[] = [
  [51, 4, 'Hello', 'public', { path: 'hello.sh', content: '#!/bin/sh\necho "Hello, rocket"\n' }],
  [
    52,
    3,
    'Orbits',
    'internal',
    { path: 'main.py', content: 'from lib.util import period\n\nprint(period(6_778_000))\n' },
    {
      path: 'lib/util.py',
      content:
        'from math import pi, sqrt\n\n\ndef period(radius):\n    return 2 * pi * sqrt(radius**3 / 3.986e14)\n',
    },
  ],
  [53, 4, 'Notes of a launch', 'private', { path: 'launch.md', content: '# Launch\n\n- It flew\n' }],
];

/** Three snippets of acme/rocket, one of each visibility. */
export const snippets: Seeder = (world) => {
  for (const [index, [id, author_id, title, visibility, ...files]] of drafts.entries()) {
    const time = `2026-02-1${index}T10:00:00.000Z`;
    world.table<Snippet>('snippets').insert({
      id,
      project_id: 100,
      author_id,
      title,
      description: '',
      visibility,
      created_at: time,
      updated_at: time,
      versions: withFiles([], files, time),
      user_agent: 'Mozilla/5.0',
      ip_address: '192.0.2.10',
      antispam_submitted: false,
    });
  }
};
