import { area, inArea } from '../spec/compose.ts';
import { one } from '../spec/endpoint.ts';
import { bool, choice, file, long, need, object, pick, text, url } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';
import { group } from './scopes.ts';

const page = {
  title: text('Title of the page, including folders, such as guides/setup; determines the path'),
  slug: text('Path of the page in the wiki, such as guides/setup'),
  format: choice(['markdown', 'rdoc', 'asciidoc', 'org'], 'Markup language of the page', {
    default: 'markdown',
  }),
  content: long('Content of the page', { markdown: true }),
  encoding: text('Encoding of the content: UTF-8'),
};

const { content, format, title } = page;

const endpoint = inArea('wikis', {
  noun: 'wiki page',
  scope: group,
  access: { tier: 'premium' },
  fields: page,
  columns: ['slug', 'title', 'format'],
  slots: { slug: text('Path of the page in the wiki, as `wikis list` shows it') },
  sample: 'guides/onboarding',
});

const calls = {
  list: endpoint('GET wikis', {
    takes: { with_content: bool('Include the content of each page') },
    examples: {
      'Back up all pages with their content as JSON, one page per line': '--with-content --all -o ndjson',
    },
  }),
  get: endpoint('GET wikis/:slug', {
    takes: {
      render_html: bool('Content as rendered HTML instead of the source'),
      version: text('Version of the page, as a commit SHA', { placeholder: 'sha' }),
    },
    examples: { 'Show a page as HTML': 'home --render-html --json' },
  }),
  create: endpoint('POST wikis', {
    takes: { ...need(page, 'title', 'content'), format },
    done: 'Created wiki page {slug}',
    examples: { 'Create a page from a local file': '--title guides/setup --content @page.md' },
  }),
  update: endpoint('PUT wikis/:slug', {
    doc: 'Requires --content, --title or both. A new title moves the page.',
    takes: {
      content: { ...content, required: true, orElse: ['title'] },
      title: { ...title, required: true, orElse: ['content'] },
      format,
    },
    examples: { 'Replace the content with a local file': 'home --content @page.md' },
  }),
  delete: endpoint('DELETE wikis/:slug', {}),
};

export const wikis = resource({
  kind: 'wikis',
  calls: [calls],
  identity: [['slug'], ['title']],
  attributes: pick(page, 'slug', 'title', 'content', 'format'),
  listing: { with_content: true },
});

export default area(
  [
    ...Object.values(calls),
    endpoint('POST wikis/attachments', {
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
      done: 'Uploaded {file} to the wiki of {scope}',
      generates: true,
      examples: {
        'Print only the Markdown for a script': 'logo.png --fields link.markdown -o tsv --no-header',
      },
    }),
  ],
  'The path of a page includes its folders, such as guides/onboarding.',
);
