import { area, inArea } from '../spec/compose.ts';
import { one, raw } from '../spec/endpoint.ts';
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

const guest = { role: 'guest' } as const;

const endpoint = inArea('uploads', {
  noun: 'upload',
  scope: project,
  access: { role: 'maintainer' },
  fields: upload,
  columns: ['id', 'filename', 'size', 'uploaded_by.username', 'created_at'],
  slots: {
    secret: text('Secret in the link to the file: the 32 characters before the file name', {
      pattern: { test: /^.{32}$/s, message: 'must have 32 characters' },
    }),
    filename: text('Name of the file: the last part of the link'),
  },
  sample: '72',
});

export default area(
  [
    endpoint('GET uploads', {
      summary: 'List uploads of a project, newest first',
      examples: { 'Print names and sizes as CSV': '--all --fields filename,size --csv' },
    }),
    endpoint('GET uploads/:upload_id', {
      summary: 'Download an upload by id',
      returns: raw(),
      examples: { 'Save an image to a file': '71 --output-file rocket.png' },
    }),
    endpoint('POST uploads', {
      access: guest,
      command: 'create <file>',
      summary: 'Upload a file and show the Markdown that embeds it',
      takes: { file: file('File to upload', { required: true }) },
      returns: one(created),
      done: 'Uploaded {file} to {scope}',
      generates: true,
      examples: { 'Print only the Markdown for a script': 'logo.png --fields markdown -o tsv --no-header' },
    }),
    endpoint('DELETE uploads/:upload_id', {
      summary: 'Delete an upload by id',
      lossWarning: 'Links to the file no longer work',
    }),
    endpoint('GET uploads/:secret/:filename', {
      access: guest,
      command: 'get-by-secret',
      summary: 'Download an upload by the secret in the link',
      returns: raw(),
      examples: {
        'Save an image to a file': '0123456789abcdef0123456789abcdef rocket.png --output-file rocket.png',
      },
    }),
    endpoint('DELETE uploads/:secret/:filename', {
      command: 'delete-by-secret',
      summary: 'Delete an upload by the secret in the link',
      done: 'Deleted upload {filename}',
      lossWarning: 'Links to the file no longer work',
      examples: { 'Delete a text file': 'fedcba9876543210fedcba9876543210 notes.txt --yes' },
    }),
  ],
  'Uploads are files that are attached to texts of a project, such as images in comments. Links to uploads have the form /uploads/SECRET/NAME.',
);
