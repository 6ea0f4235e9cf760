import { area, inArea } from '../spec/compose.ts';
import { one, raw } from '../spec/endpoint.ts';
import { bool, choice, datetime, int, long, need, object, pick, rows, text, url } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';
import { person } from './parts.ts';
import { project } from './scopes.ts';

const snippet = {
  id: int('Snippet id'),
  title: text('Title of the snippet'),
  file_name: text('Name of the first file'),
  description: text('Description of the snippet', { nullable: true }),
  visibility: choice(
    ['private', 'internal', 'public'],
    'Visibility. private: members of the project; internal: all signed-in users except external users; public: everyone',
  ),
  author: object('Author of the snippet', {
    ...pick(person, 'id', 'username'),
    email: text('Email address'),
    ...pick(person, 'name', 'state'),
    created_at: datetime('Creation time of the account'),
  }),
  updated_at: datetime('Time of the last update'),
  created_at: datetime('Time of creation'),
  imported: bool('Imported from another service'),
  imported_from: text('Source of the import'),
  project_id: int('Project id'),
  web_url: url('Web page of the snippet'),
  raw_url: url('Link to the content of the first file'),
  // Beyond the specification: svc export needs the names of all files.
  files: rows('Files of the snippet', { path: text('Path'), raw_url: url('Link to the content') }),
};

const path = text('Path of the file in the snippet', { placeholder: 'path' });
const content = long('Content of the file');
const newFile = need({ file_path: path, content }, 'file_path', 'content');

const settings = {
  description: long('Description in Markdown'),
  ...pick(snippet, 'visibility'),
};

const old = {
  file_name: text('Name of the only file', { deprecated: 'use --files' }),
  content: long('Content of the only file', { deprecated: 'use --files' }),
};

/** A public snippet needs no authentication: section 2.8. */
const open = { anonymous: true } as const;

const endpoint = inArea('snippets', {
  noun: 'snippet',
  scope: project,
  fields: snippet,
  columns: ['id', 'title', 'file_name', 'visibility', 'author.username', 'updated_at'],
  slots: {
    ref: text('Branch, tag or commit of the snippet repository, usually main'),
    file_path: path,
  },
  sample: '53',
});

const calls = {
  list: endpoint('GET snippets', {
    access: open,
    examples: { 'Print ids and titles for a script': '--all --fields id,title -o tsv --no-header' },
  }),
  get: endpoint('GET snippets/:snippet_id', {
    access: open,
    doc: 'Does not include the content. Use `snippets raw` to print it.',
    examples: { 'Print the URL of the web page for a script': '52 --fields web_url -o tsv --no-header' },
  }),
  create: endpoint('POST snippets', {
    access: { role: 'reporter' },
    takes: {
      title: text('Title of the snippet', { required: true }),
      files: rows(
        'Files of the snippet',
        newFile,
        // The service still accepts the deprecated pair file_name and content instead.
        { required: true, orElse: ['content'] },
      ),
      ...settings,
      ...old,
    },
    examples: {
      'Create an internal snippet from two files':
        '--title "Orbit, explained" --visibility internal --file file_path=main.py,content=@main.py --file file_path=notes.txt,content=@notes.txt',
      'Read the list of files from a JSON file':
        '--title "A set of tools" --visibility private --files @files.json',
    },
  }),
  update: endpoint('PUT snippets/:snippet_id', {
    doc: 'Omitted fields are not changed. To change files of a snippet with several files, use --files.',
    takes: {
      title: text('Title of the snippet'),
      files: rows('Changes to files', {
        action: choice(['create', 'update', 'delete', 'move'], 'Action to perform on the file', {
          required: true,
        }),
        file_path: path,
        content,
        previous_path: text('Previous path of a file to move', { placeholder: 'path' }),
      }),
      ...settings,
      ...old,
    },
    examples: {
      'Move one file and add another file':
        '52 --file action=move,previous_path=lib/util.py,file_path=lib/tools.py --file action=create,file_path=notes.txt,content=@notes.txt',
    },
  }),
  delete: endpoint('DELETE snippets/:snippet_id', {}),
};

export const { get: getSnippet } = calls;

export const readSnippetFile = endpoint('GET snippets/:snippet_id/files/:ref/:file_path/raw', {
  command: 'raw-file',
  summary: 'Print one file of a snippet',
  access: open,
  returns: raw('text/plain'),
  examples: { 'Save one file': '52 main lib/util.py --output-file util.py' },
});

export const snippets = resource({
  kind: 'snippets',
  calls: [calls],
  identity: [['title']],
  attributes: {
    ...pick(snippet, 'title', 'description', 'visibility'),
    files: rows('Files of the snippet', newFile),
  },
  limits: ['only the first file is exported if the service does not list the files'],
});

export default area([
  ...Object.values(calls),
  endpoint('GET snippets/:snippet_id/raw', {
    summary: 'Print the content of a snippet',
    doc: 'Prints the first file of the snippet. Use `snippets raw-file` to print another file.',
    access: open,
    returns: raw('text/plain'),
    examples: { 'Save a snippet to a file': '51 --output-file hello.sh' },
  }),
  readSnippetFile,
  endpoint('GET snippets/:snippet_id/user_agent_detail', {
    command: 'user-agent',
    summary: 'Show the user agent and IP address used to create a snippet',
    access: { role: 'administrator' },
    returns: one({
      user_agent: text('User agent of the request that created the snippet'),
      ip_address: text('IP address of the request that created the snippet'),
      antispam_submitted: bool('Submitted to a spam check'),
    }),
    examples: { 'Print only the IP address for a script': '51 --fields ip_address -o tsv --no-header' },
  }),
]);
