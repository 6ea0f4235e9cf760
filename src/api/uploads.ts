import { area, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one, raw } from '../spec/endpoint.ts';
import { datetime, file, int, object, text, url } from '../spec/field.ts';
import { project } from './scopes.ts';

const created = {
  id: int('Upload id'),
  alt: text('Alternative text of the image'),
  url: url('Link to the file relative to the project; contains the secret'),
  full_path: text('Link to the file relative to the service'),
  markdown: text('Markdown that embeds the file'),
};

const upload = {
  id: int('Upload id'),
  size: int('Size in bytes'),
  filename: text('Name of the file'),
  created_at: datetime('Time of the upload'),
  uploaded_by: object(
    'User who uploaded the file',
    { id: int('User id'), name: text('Full name'), username: text('Username') },
    { nullable: true },
  ),
};

const byId = { upload_id: int('Upload id, as `uploads list` shows it') };
const bySecret = {
  secret: text('Secret in the link to the file: the 32 characters before the file name', {
    pattern: { test: /^.{32}$/s, says: 'must have 32 characters' },
  }),
  filename: text('Name of the file: the last part of the link'),
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
      noun: 'upload',
      returns: listOf(upload),
      columns: ['id', 'filename', 'size', 'uploaded_by.username', 'created_at'],
      examples: [
        { does: 'List uploads of a project', run: 'uploads list --project acme/rocket' },
        {
          does: 'Print names and sizes as CSV',
          run: 'uploads list --project acme/rocket --all --fields filename,size --csv',
        },
      ],
    }),
    endpoint('GET uploads/:upload_id', {
      ...maintainer,
      command: 'get <upload-id>',
      summary: 'Download an upload by id',
      slots: byId,
      returns: raw(),
      examples: [
        {
          does: 'Save an image to a file',
          run: 'uploads get 71 --project acme/rocket --output-file rocket.png',
        },
        { does: 'Print a text file', run: 'uploads get 72 --project acme/rocket' },
      ],
    }),
    endpoint('POST uploads', {
      section,
      access: { role: 'guest' },
      command: 'create <file>',
      summary: 'Upload a file and show the Markdown that embeds it',
      takes: { file: file('File to upload', { required: true }) },
      returns: one(created),
      done: 'Uploaded {file} to {scope}',
      generates: true,
      examples: [
        { does: 'Upload an image', run: 'uploads create logo.png --project acme/rocket' },
        {
          does: 'Print only the Markdown for a script',
          run: 'uploads create logo.png --project acme/rocket --fields markdown -o tsv --no-header',
        },
      ],
    }),
    endpoint('DELETE uploads/:upload_id', {
      ...maintainer,
      command: 'delete <upload-id>',
      summary: 'Delete an upload by id',
      doc: 'Existing links to the file stop working.',
      slots: byId,
      returns: nothing,
      confirm: 'yes',
      done: 'Deleted upload {upload_id} from {scope}',
      loses: 'Links to the file no longer work',
      examples: [
        { does: 'Delete without confirmation', run: 'uploads delete 72 --project acme/rocket --yes' },
        {
          does: 'Print the request without sending it',
          run: 'uploads delete 71 --project acme/rocket --dry-run',
        },
      ],
    }),
    endpoint('GET uploads/:secret/:filename', {
      section,
      access: { role: 'guest' },
      command: 'get-by-secret <secret> <filename>',
      summary: 'Download an upload by the secret in the link',
      slots: bySecret,
      returns: raw(),
      examples: [
        { does: 'Save an image to a file', run: `uploads get-by-secret ${rocket} --output-file rocket.png` },
        { does: 'Print a text file', run: `uploads get-by-secret ${notes}` },
      ],
    }),
    endpoint('DELETE uploads/:secret/:filename', {
      ...maintainer,
      command: 'delete-by-secret <secret> <filename>',
      summary: 'Delete an upload by the secret in the link',
      doc: 'Existing links to the file stop working.',
      slots: bySecret,
      returns: nothing,
      confirm: 'yes',
      done: 'Deleted upload {filename} from {scope}',
      loses: 'Links to the file no longer work',
      examples: [
        { does: 'Delete without confirmation', run: `uploads delete-by-secret ${notes} --yes` },
        { does: 'Print the request without sending it', run: `uploads delete-by-secret ${rocket} --dry-run` },
      ],
    }),
  ]),
  'Uploads are files that are attached to texts of a project, such as images in comments. Links to uploads have the form /uploads/SECRET/NAME.',
);
