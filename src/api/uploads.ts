import { area, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one, raw } from '../spec/endpoint.ts';
import { datetime, file, int, object, text, url } from '../spec/field.ts';
import { project } from './scopes.ts';

const created = {
  id: int('Upload id'),
  alt: text('Text in place of the picture'),
  url: url('Link to the file, below the project; holds its secret'),
  full_path: text('Link to the file, below the service'),
  markdown: text('Markdown that shows it, to paste into a comment'),
};

const upload = {
  id: int('Upload id'),
  size: int('Bytes'),
  filename: text('Name of the file'),
  created_at: datetime('When it was uploaded'),
  uploaded_by: object(
    'Who uploaded it',
    { id: int('User id'), name: text('Full name'), username: text('User name') },
    { nullable: true },
  ),
};

const byId = { upload_id: int('Upload id, as `uploads list` shows it') };
const bySecret = {
  secret: text('The 32 characters before the name in the link to the file', {
    pattern: { test: /^.{32}$/s, says: 'must have 32 characters' },
  }),
  filename: text('Name of the file, the last part of its link'),
};

const section = '4.10';
const maintainer = { section, access: { role: 'maintainer' } } as const;
const rocket = '0123456789abcdef0123456789abcdef rocket.png --project acme/rocket';
const notes = 'fedcba9876543210fedcba9876543210 notes.txt --project acme/rocket';

export default area(
  under(project, [
    endpoint('GET uploads', {
      ...maintainer,
      command: 'list',
      summary: 'List uploads of a project, newest first',
      takes: paging,
      returns: listOf(upload),
      columns: ['id', 'filename', 'size', 'uploaded_by.username', 'created_at'],
      examples: [
        { does: 'What was uploaded, and by whom', run: 'uploads list --project acme/rocket' },
        {
          does: 'Names and sizes as CSV',
          run: 'uploads list --project acme/rocket --all --fields filename,size --csv',
        },
      ],
    }),
    endpoint('GET uploads/:upload_id', {
      ...maintainer,
      command: 'get <upload-id>',
      summary: 'Download an upload, by its id',
      slots: byId,
      returns: raw(),
      examples: [
        { does: 'Save it', run: 'uploads get 71 --project acme/rocket --output-file rocket.png' },
        { does: 'Print a text', run: 'uploads get 72 --project acme/rocket' },
      ],
    }),
    endpoint('POST uploads', {
      section,
      access: { role: 'guest' },
      command: 'create <file>',
      summary: 'Upload a file, and get the Markdown that shows it',
      takes: { file: file('File to upload', { required: true }) },
      returns: one(created),
      examples: [
        { does: 'Upload a picture', run: 'uploads create logo.png --project acme/rocket' },
        {
          does: 'The Markdown to paste, alone',
          run: 'uploads create logo.png --project acme/rocket --fields markdown -o tsv --no-header',
        },
      ],
    }),
    endpoint('DELETE uploads/:upload_id', {
      ...maintainer,
      command: 'delete <upload-id>',
      summary: 'Delete an upload, by its id',
      doc: 'Texts that link to it stay as they are: their link is dead from then on.',
      slots: byId,
      returns: nothing,
      confirm: 'yes',
      examples: [
        { does: 'Without being asked', run: 'uploads delete 72 --project acme/rocket --yes' },
        {
          does: 'See the request before it is made',
          run: 'uploads delete 71 --project acme/rocket --dry-run',
        },
      ],
    }),
    endpoint('GET uploads/:secret/:filename', {
      section,
      access: { role: 'guest' },
      command: 'get-by-secret <secret> <filename>',
      summary: 'Download an upload, by the secret in its link',
      slots: bySecret,
      returns: raw(),
      examples: [
        { does: 'Save it', run: `uploads get-by-secret ${rocket} --output-file rocket.png` },
        { does: 'Print a text', run: `uploads get-by-secret ${notes}` },
      ],
    }),
    endpoint('DELETE uploads/:secret/:filename', {
      ...maintainer,
      command: 'delete-by-secret <secret> <filename>',
      summary: 'Delete an upload, by the secret in its link',
      doc: 'Texts that link to it stay as they are: their link is dead from then on.',
      slots: bySecret,
      returns: nothing,
      confirm: 'yes',
      examples: [
        { does: 'Without being asked', run: `uploads delete-by-secret ${notes} --yes` },
        { does: 'See the request before it is made', run: `uploads delete-by-secret ${rocket} --dry-run` },
      ],
    }),
  ]),
  'Files behind the texts of a project, such as pictures in comments. A link to one reads /uploads/SECRET/NAME.',
);
