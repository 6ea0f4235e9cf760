import { area, callsIn, crud, under } from '../spec/compose.ts';
import { endpoint, one } from '../spec/endpoint.ts';
import { bool, choice, file, long, need, object, pick, text, url } from '../spec/field.ts';
import { type Row, resource } from '../spec/resource.ts';
import { groupBy } from '../support/record.ts';
import { group } from './scopes.ts';

const page = {
  title: text('Title of the page, including folders, such as guides/setup; determines the path'),
  slug: text('Path of the page in the wiki, such as guides/setup'),
  format: choice(['markdown', 'rdoc', 'asciidoc', 'org'], 'Markup language of the page', {
    default: 'markdown',
  }),
  content: long('Content of the page'),
  encoding: text('Encoding of the content: UTF-8'),
};

const { content, format, title } = page;

const calls = crud('wikis/:slug', page, {
  section: '4.6',
  noun: 'wiki page',
  slots: {
    slug: text('Path of the page in the wiki, as `wikis list` shows it', { placeholder: 'slug' }),
  },
  columns: ['slug', 'title', 'format'],
  access: { tier: 'premium' },
  list: {
    takes: { with_content: bool('Include the content of each page') },
    examples: [
      { does: 'List wiki pages of a group', run: 'wikis list --group acme' },
      {
        does: 'Back up all pages with their content as JSON, one page per line',
        run: 'wikis list --group acme --with-content --all -o ndjson',
      },
    ],
  },
  get: {
    takes: {
      render_html: bool('Content as rendered HTML instead of the source'),
      version: text('Version of the page, as a commit SHA', { placeholder: 'sha' }),
    },
    examples: [
      { does: 'Show one page', run: 'wikis get guides/onboarding --group acme' },
      { does: 'Show a page as HTML', run: 'wikis get home --group acme --render-html --json' },
    ],
  },
  create: {
    takes: { ...need(page, 'title', 'content'), format },
    examples: [
      {
        does: 'Create a page from a local file',
        run: 'wikis create --group acme --title guides/setup --content @page.md',
      },
      {
        does: 'Create a page in AsciiDoc',
        run: 'wikis create --group acme --title Imprint --content "= Imprint" --format asciidoc',
      },
    ],
  },
  update: {
    doc: 'Requires --content, --title or both. A new title moves the page.',
    takes: {
      content: { ...content, required: true, orElse: ['title'] },
      title: { ...title, required: true, orElse: ['content'] },
      format,
    },
    examples: [
      {
        does: 'Replace the content with a local file',
        run: 'wikis update home --group acme --content @page.md',
      },
      {
        does: 'Change only the title',
        run: 'wikis update guides/release --group acme --title guides/releasing',
      },
    ],
  },
  delete: {
    examples: [
      { does: 'Delete without confirmation', run: 'wikis delete guides/onboarding --group acme --yes' },
      { does: 'Print the request without sending it', run: 'wikis delete legal --group acme --dry-run' },
    ],
  },
});

/** A text without the differences in white space and Unicode form that a service removes. */
const plain = (value: unknown): string =>
  String(value ?? '')
    .normalize('NFC')
    .split('/')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .join('/');

/** The path that a title usually gets. */
const pathOf = (title: unknown): string => plain(title).replaceAll(' ', '-');

/** The title with its folders. A service may return only its last part. */
function titleOf({ slug, title = slug }: Row): unknown {
  const folders = String(slug ?? '')
    .split('/')
    .slice(0, -1);
  const whole = [...folders, title].join('/');
  return pathOf(whole) === pathOf(slug) ? whole : title;
}

/** Find the page of an entry by its path, or else by its title, from which the service made a path. */
function pagesOf(rows: readonly Row[]): (entry: Row) => readonly Row[] {
  const byPath = groupBy(rows, ({ slug }) => pathOf(slug));
  const byTitle = groupBy(rows, (row) => plain(titleOf(row)));
  return (entry) => {
    const title = plain(titleOf(entry));
    const own = entry['slug'] === undefined ? [] : (byPath.get(pathOf(entry['slug'])) ?? []);
    if (entry['title'] === undefined || own.some((row) => plain(titleOf(row)) === title)) return own;
    // With a page at either path, a change of the title cannot succeed.
    const found = new Set([...own, ...(byPath.get(pathOf(title)) ?? [])]);
    return found.size > 0 ? [...found] : (byTitle.get(title) ?? []);
  };
}

export const wikis = resource({
  kind: 'wikis',
  noun: 'wiki page',
  calls: [callsIn(group, calls)],
  identity: [['slug'], ['title']],
  attributes: pick(page, 'slug', 'title', 'content', 'format'),
  listing: { with_content: true },
  match: pagesOf,
  rewrites: {
    // Only the title determines the path.
    slug: () => true,
    title: (title, { slug, ...row }) => plain(titleOf({ slug, title })) === plain(titleOf({ slug, ...row })),
  },
  toCreate: ({ slug, title, ...entry }) => ({ title: titleOf({ slug, title }), ...entry }),
});

export default area(
  under(group, [
    ...Object.values(calls),
    endpoint('POST wikis/attachments', {
      section: '4.6',
      command: 'attach <file>',
      summary: 'Upload a file to the wiki and show the Markdown that embeds it',
      doc: 'Stores the file in the uploads folder of the wiki repository.',
      takes: {
        file: file('File to upload', { required: true }),
        branch: text('Branch of the wiki repository; by default, the default branch', {
          suggest: 'branches/list/name',
        }),
      },
      returns: one({
        file_name: text('Name of the file'),
        file_path: text('Path of the file in the wiki'),
        branch: text('Branch of the upload'),
        link: object('Links for use in wiki pages', {
          url: url('Link to the file'),
          markdown: text('Markdown that embeds the file'),
        }),
      }),
      columns: ['file_name', 'file_path', 'branch', 'link.markdown'],
      access: { tier: 'premium' },
      done: 'Uploaded {file} to the wiki of {scope}',
      generates: true,
      examples: [
        { does: 'Upload an image', run: 'wikis attach logo.png --group acme' },
        {
          does: 'Print only the Markdown for a script',
          run: 'wikis attach logo.png --group acme --fields link.markdown -o tsv --no-header',
        },
      ],
    }),
  ]),
  'The path of a page includes its folders, such as guides/onboarding.',
);
