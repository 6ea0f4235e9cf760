/** `svc man`: show the manual. */
import { areas } from '../../api/index.ts';
import { usage } from '../../errors.ts';
import { choice } from '../../spec/field.ts';
import { quotedWord } from '../../support/mask.ts';
import { suggest } from '../../support/suggest.ts';
import { findArea } from '../areas.ts';
import { createTerminal } from '../terminal/terminal.ts';
import { command } from './define.ts';

/** The manual pages about a topic, without `svc-`. */
const topicPages = 'agents ci config exit-codes flags output resources sandbox scripting'.split(' ');

/** The words that select a page. */
export const pageNames = ['svc', ...areas.map(({ name }) => name), ...topicPages];

/** Return the title of a page: `svc-jobs` for `jobs`, `svc-jobs` or `svc-jobs(1)`. @throws Failure `usage` */
function titleOf(typed: string): string {
  const bare = typed.replace(/(\(\d\)|\.\d)$/, '').replace(/^svc-/, '');
  const name = findArea(bare)?.name ?? bare;
  if (pageNames.includes(name)) return name === 'svc' ? name : `svc-${name}`;
  throw usage(`no manual page ${quotedWord(typed)}`, [
    ...suggest(bare, pageNames),
    'svc man lists all pages in its last section, and describes the other commands',
  ]);
}

export const man = command({
  args: '[page]',
  of: { page: choice(pageNames, 'Page') },
  doc: 'There is a page for the program, svc(1), which is the default, for each area, and for each topic of svc help (environment is in config). svc prints the page as text. The pages are generated, so they always describe this version. Packages for npm and Debian also install them, for the program man.',
  flags: {},
  examples: {
    'Show the page of an area': 'man jobs',
    'Show the page of a topic': 'man exit-codes',
  },
  async run({ words: [typed = 'svc'] }, context, services) {
    const title = titleOf(typed);
    const [{ pagesOf }, { manualText }] = await Promise.all([
      import('../../docs/man/man.ts'),
      import('../../docs/topic.ts'),
    ]);
    const { color, screen } = createTerminal({}, context);
    const page = pagesOf(await services.catalogue()).find((one) => one.name === title);
    if (page) context.stdout.write(manualText(page, { width: screen?.width ?? 80, color }));
    return 0;
  },
});
