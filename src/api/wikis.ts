import { area, crud, under } from '../spec/compose.ts';
import { endpoint, one } from '../spec/endpoint.ts';
import { bool, choice, file, long, need, object, text, url } from '../spec/field.ts';
import { group } from './scopes.ts';

const page = {
  title: text('Title; its path in the wiki follows from it, folders included: guides/setup'),
  slug: text('Path of the page in the wiki: guides/setup'),
  format: choice(['markdown', 'rdoc', 'asciidoc', 'org'], 'Markup that it is written in', {
    default: 'markdown',
  }),
  content: long('Text of the page'),
  encoding: text('Encoding of the content: UTF-8'),
};

const { content, format, title } = page;

export default area(
  under(group, [
    ...crud('wikis/:slug', page, {
      section: '4.6',
      noun: 'wiki page',
      slot: text('Path of the page in the wiki, as `wikis list` shows it', { placeholder: 'slug' }),
      columns: ['title', 'slug', 'format'],
      access: { tier: 'premium' },
      list: {
        takes: { with_content: bool('Give the text of each page too') },
        examples: [
          { does: 'The pages of a group', run: 'wikis list --group acme' },
          {
            does: 'With their text, one page a line, as a backup',
            run: 'wikis list --group acme --with-content --all -o ndjson',
          },
        ],
      },
      get: {
        takes: {
          render_html: bool('Give the text as HTML, not as it was written'),
          version: text('An earlier state of the page, by its commit SHA', { placeholder: 'sha' }),
        },
        examples: [
          { does: 'One page', run: 'wikis get guides/onboarding --group acme' },
          { does: 'As HTML', run: 'wikis get home --group acme --render-html --json' },
        ],
      },
      create: {
        takes: { ...need(page, 'title', 'content'), format },
        examples: [
          { does: 'From a file', run: 'wikis create --group acme --title guides/setup --content @page.md' },
          {
            does: 'A short page in another markup',
            run: 'wikis create --group acme --title Imprint --content "= Imprint" --format asciidoc',
          },
        ],
      },
      update: {
        doc: 'Give --content, --title or both. A new title moves the page.',
        takes: {
          content: { ...content, required: true, orElse: ['title'] },
          title: { ...title, required: true, orElse: ['content'] },
          format,
        },
        examples: [
          { does: 'New text, from a file', run: 'wikis update home --group acme --content @page.md' },
          {
            does: 'Another title, the text as it is',
            run: 'wikis update guides/release --group acme --title guides/releasing',
          },
        ],
      },
      delete: {
        examples: [
          { does: 'Without being asked', run: 'wikis delete guides/onboarding --group acme --yes' },
          { does: 'See the request before it is made', run: 'wikis delete legal --group acme --dry-run' },
        ],
      },
    }),
    endpoint('POST wikis/attachments', {
      section: '4.6',
      command: 'attach <file>',
      summary: 'Upload a file to the wiki, and get the Markdown that shows it',
      doc: "The file goes into the uploads folder of the wiki's repository.",
      takes: {
        file: file('File to upload', { required: true }),
        branch: text("Branch of the wiki's repository; its default branch where left out", {
          suggest: 'branch',
        }),
      },
      returns: one({
        file_name: text('Name of the file'),
        file_path: text('Where it is in the wiki'),
        branch: text('Branch that it was put on'),
        link: object('How a page refers to it', {
          url: url('Link to the file'),
          markdown: text('Markdown that shows it'),
        }),
      }),
      columns: ['file_name', 'file_path', 'branch', 'link.markdown'],
      access: { tier: 'premium' },
      examples: [
        { does: 'Upload a picture', run: 'wikis attach logo.png --group acme' },
        {
          does: 'The Markdown to paste, alone',
          run: 'wikis attach logo.png --group acme --fields link.markdown -o tsv --no-header',
        },
      ],
    }),
  ]),
  'The wiki of a group. A page in a folder is named with it: guides/onboarding.',
);
