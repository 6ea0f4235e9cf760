import { area, crud, under } from '../spec/compose.ts';
import { endpoint, one, raw } from '../spec/endpoint.ts';
import { bool, choice, datetime, int, long, object, rows, text, url } from '../spec/field.ts';
import { project } from './scopes.ts';

const snippet = {
  id: int('Snippet id'),
  title: text('Title, as lists show it'),
  file_name: text('Name of its first file'),
  description: text('What it is for', { nullable: true }),
  visibility: choice(
    ['private', 'internal', 'public'],
    'Who sees it: members of the project, every signed-in user but external ones, or everybody',
  ),
  author: object('Who wrote it', {
    id: int('User id'),
    username: text('User name'),
    email: text('Address'),
    name: text('Full name'),
    state: text('State of the account'),
    created_at: datetime('When the account was made'),
  }),
  updated_at: datetime('When it last changed'),
  created_at: datetime('When it was made'),
  imported: bool('Came from another service'),
  imported_from: text('The service that it came from'),
  project_id: int('Project id'),
  web_url: url('Page of the snippet'),
  raw_url: url('Link to the text of its first file'),
};

const path = text('Path of the file in the snippet', { placeholder: 'path' });
const content = long('Text of the file', { exact: true });

const settings = {
  description: long('What it is for; Markdown'),
  visibility: snippet.visibility,
};

const old = {
  file_name: text('Name of the only file', { deprecated: 'use --files' }),
  content: long('Text of the only file', { exact: true, deprecated: 'use --files' }),
};

const snippetId = int('Snippet id, as `snippets list` shows it');
const slots = { snippet_id: snippetId };
/** A public snippet needs no authentication: section 2.8. */
const open = { anonymous: true } as const;

const calls = under(project, [
  ...crud('snippets/:snippet_id', snippet, {
    section: '4.8',
    noun: 'snippet',
    slot: snippetId,
    columns: ['id', 'title', 'file_name', 'visibility', 'author.username', 'updated_at'],
    list: {
      access: open,
      examples: [
        { does: 'Snippets of a project', run: 'snippets list --project acme/rocket' },
        {
          does: 'Ids and titles for a script',
          run: 'snippets list --project acme/rocket --all --fields id,title -o tsv --no-header',
        },
      ],
    },
    get: {
      access: open,
      doc: 'Shows what is known of the snippet; `snippets raw` prints its text.',
      examples: [
        { does: 'One snippet', run: 'snippets get 52 --project acme/rocket' },
        {
          does: 'Its page, for a script',
          run: 'snippets get 52 --project acme/rocket --fields web_url -o tsv --no-header',
        },
      ],
    },
    create: {
      access: { role: 'reporter' },
      takes: {
        title: text('Title, as lists show it', { required: true }),
        files: rows(
          'Its files, each as file_path=<path>,content=@<file>',
          { file_path: { ...path, required: true }, content: { ...content, required: true } },
          // Both deprecated parameters together say as much, and clients still send them.
          { required: true, orElse: ['content'] },
        ),
        ...settings,
        ...old,
      },
      examples: [
        {
          does: 'From a file on disk',
          run: 'snippets create --project acme/rocket --title "Orbit" --files file_path=main.py,content=@main.py',
        },
        {
          does: 'From two, for every signed-in user',
          run: 'snippets create --project acme/rocket --title "Orbit, explained" --visibility internal --files file_path=main.py,content=@main.py --files file_path=notes.txt,content=@notes.txt',
        },
        {
          does: 'From a list of files as JSON',
          run: 'snippets create --project acme/rocket --title "A set of tools" --files @files.json',
        },
      ],
    },
    update: {
      doc: 'What is left out stays as it is. A snippet with several files takes changes to them by --files alone.',
      takes: {
        title: text('Title, as lists show it'),
        files: rows('Changes to its files, each as action=<action>,file_path=<path>,content=@<file>', {
          action: choice(['create', 'update', 'delete', 'move'], 'What to do with the file', {
            required: true,
          }),
          file_path: path,
          content,
          previous_path: text('Path until now, of a file to move', { placeholder: 'path' }),
        }),
        ...settings,
        ...old,
      },
      examples: [
        { does: 'Another title', run: 'snippets update 51 --project acme/rocket --title "Say hello"' },
        {
          does: 'New text of a file, from disk',
          run: 'snippets update 52 --project acme/rocket --files action=update,file_path=main.py,content=@main.py',
        },
        {
          does: 'Move one file and add another',
          run: 'snippets update 52 --project acme/rocket --files action=move,previous_path=lib/util.py,file_path=lib/tools.py --files action=create,file_path=notes.txt,content=@notes.txt',
        },
      ],
    },
    delete: {
      examples: [
        { does: 'Without being asked', run: 'snippets delete 53 --project acme/rocket --yes' },
        {
          does: 'See the request before it is made',
          run: 'snippets delete 51 --project acme/rocket --dry-run',
        },
      ],
    },
  }),
  endpoint('GET snippets/:snippet_id/raw', {
    section: '4.8',
    command: 'raw <snippet-id>',
    summary: 'Print the text of a snippet',
    doc: 'Of several files the first one; `snippets raw-file` prints any.',
    slots,
    access: open,
    returns: raw('text/plain'),
    examples: [
      { does: 'Print it', run: 'snippets raw 51 --project acme/rocket' },
      { does: 'Save it', run: 'snippets raw 51 --project acme/rocket --output-file hello.sh' },
    ],
  }),
  endpoint('GET snippets/:snippet_id/files/:ref/:file_path/raw', {
    section: '4.8',
    command: 'raw-file <snippet-id> <ref> <file-path>',
    summary: 'Print one file of a snippet',
    slots: {
      snippet_id: snippetId,
      ref: text("Branch, tag or commit of the snippet's own repository: main as a rule"),
      file_path: path,
    },
    access: open,
    returns: raw('text/plain'),
    examples: [
      { does: 'Print it', run: 'snippets raw-file 52 main main.py --project acme/rocket' },
      {
        does: 'Save it',
        run: 'snippets raw-file 52 main lib/util.py --project acme/rocket --output-file util.py',
      },
    ],
  }),
  endpoint('GET snippets/:snippet_id/user_agent_detail', {
    section: '4.8',
    command: 'user-agent <snippet-id>',
    summary: 'Show what a snippet was written with, and from where',
    slots,
    returns: one({
      user_agent: text('Browser or program that sent it'),
      ip_address: text('Address that it was sent from'),
      antispam_submitted: bool('Passed to a spam check'),
    }),
    access: { role: 'administrator' },
    examples: [
      { does: 'Who sent this?', run: 'snippets user-agent 51 --project acme/rocket' },
      {
        does: 'The address alone',
        run: 'snippets user-agent 51 --project acme/rocket --fields ip_address -o tsv --no-header',
      },
    ],
  }),
]);

export const [, getSnippet] = calls;

export default area(calls);
