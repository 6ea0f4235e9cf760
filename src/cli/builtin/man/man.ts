/** `svc man`: show the manual. */
import { areas } from '../../../api/index.ts';
import { choice } from '../../../spec/field.ts';
import { pageNames } from '../../../spec/names.ts';
import { type Builtin, command } from '../define.ts';

export default {
  commands: [
    command({
      name: 'man',
      args: '[page]',
      of: { page: choice(pageNames(areas), 'Page') },
      summary: 'Show a manual page',
      doc: 'There is a page for the program, svc(1), which is the default, for each area, and for most topics of svc help. On a terminal, the program man shows the page; elsewhere or without that program, svc prints it as text. The pages are generated, so they always describe this version. Packages for npm and Debian also install them.',
      flags: {},
      examples: [
        { does: 'Show the page of an area', run: 'man jobs' },
        { does: 'Show the page of a topic', run: 'man exit-codes' },
      ],
      run: async ({ words }, context, services) =>
        (await import('./show.ts')).showPage(words[0], context, services),
    }),
  ],
} satisfies Builtin;
