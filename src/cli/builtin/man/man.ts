/** `svc man`: show the manual, or install its pages where `man` finds them. */
import { areas } from '../../../api/index.ts';
import { choice } from '../../../spec/field.ts';
import { pageNames } from '../../../spec/manual.ts';
import { sharedFlags } from '../../argv/flags.ts';
import { type Builtin, command } from '../define.ts';

const placing = {
  dir: { value: 'dir', doc: 'Folder of manual pages (default: the one of your user)' },
  'dry-run': { doc: 'Print the files; change nothing' },
  ...sharedFlags('yes', 'no-input', 'quiet'),
} as const;

export default {
  commands: [
    command({
      name: 'man',
      args: '[page]',
      of: { page: choice(pageNames(areas), 'Page') },
      summary: 'Show a manual page',
      doc: 'There is a page for the program, svc(1), which is the default, for each area, and for most topics of svc help. On a terminal, the program man shows the page; elsewhere or without that program, svc prints it as text. The pages are generated, so they always describe this version.',
      flags: {},
      examples: [
        { does: 'Show the page of an area', run: 'man jobs' },
        { does: 'Show the page of a topic', run: 'man exit-codes' },
      ],
      run: async ({ words }, context, services) =>
        (await import('./show.ts')).showPage(words[0], context, services),
    }),
    command({
      name: 'install',
      args: '',
      summary: 'Install the manual pages, so that "man svc" works',
      doc: 'Writes all pages to the folders man1, man5 and man7, and removes pages that an earlier version installed. Asks before it changes files. The default folder is $XDG_DATA_HOME/man or ~/.local/share/man, or else the first folder of MANPATH in your home. Prints what to do if man does not search that folder. Packages for npm and Debian install the pages themselves.',
      flags: placing,
      examples: [
        { does: 'Install the pages without a prompt', run: 'man install --yes' },
        { does: 'Print the files that would be written', run: 'man install --dry-run' },
      ],
      run: async ({ options }, context, services) =>
        (await import('./install.ts')).installPages(options, context, services),
    }),
    command({
      name: 'uninstall',
      args: '',
      summary: 'Remove the manual pages that svc man install wrote',
      flags: placing,
      examples: [{ does: 'Remove the pages without a prompt', run: 'man uninstall --yes' }],
      run: async ({ options }, context) => (await import('./install.ts')).removePages(options, context),
    }),
  ],
} satisfies Builtin;
