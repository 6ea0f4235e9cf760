import { area, callsIn, crud, inScope, under } from '../spec/compose.ts';
import { endpoint, one, raw } from '../spec/endpoint.ts';
import { bool, choice, datetime, int, long, object, rows, text, url } from '../spec/field.ts';
import { type Row, resource } from '../spec/resource.ts';
import { isRecord } from '../support/record.ts';
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
    id: int('User id'),
    username: text('Username'),
    email: text('Email address'),
    name: text('Full name'),
    state: text('State of the account'),
    created_at: datetime('Creation time of the account'),
  }),
  updated_at: datetime('Time of the last update'),
  created_at: datetime('Time of creation'),
  imported: bool('Imported from another service'),
  imported_from: text('Source of the import'),
  project_id: int('Project id'),
  web_url: url('Web page of the snippet'),
  raw_url: url('Link to the content of the first file'),
};

const path = text('Path of the file in the snippet', { placeholder: 'path' });
const content = long('Content of the file');

const settings = {
  description: long('Description in Markdown'),
  visibility: snippet.visibility,
};

const old = {
  file_name: text('Name of the only file', { deprecated: 'use --files' }),
  content: long('Content of the only file', { deprecated: 'use --files' }),
};

const snippetId = int('Snippet id, as `snippets list` shows it');
const slots = { snippet_id: snippetId };
/** A public snippet needs no authentication: section 2.8. */
const open = { anonymous: true } as const;

const calls = callsIn(
  project,
  crud('snippets/:snippet_id', snippet, {
    section: '4.8',
    noun: 'snippet',
    slots,
    columns: ['id', 'title', 'file_name', 'visibility', 'author.username', 'updated_at'],
    list: {
      access: open,
      examples: [
        { does: 'List snippets of a project', run: 'snippets list --project acme/rocket' },
        {
          does: 'Print ids and titles for a script',
          run: 'snippets list --project acme/rocket --all --fields id,title -o tsv --no-header',
        },
      ],
    },
    get: {
      access: open,
      doc: 'Does not include the content. Use `snippets raw` to print it.',
      examples: [
        { does: 'Show one snippet', run: 'snippets get 52 --project acme/rocket' },
        {
          does: 'Print the URL of the web page for a script',
          run: 'snippets get 52 --project acme/rocket --fields web_url -o tsv --no-header',
        },
      ],
    },
    create: {
      access: { role: 'reporter' },
      takes: {
        title: text('Title of the snippet', { required: true }),
        files: rows(
          'Files of the snippet',
          { file_path: { ...path, required: true }, content: { ...content, required: true } },
          // The service still accepts the deprecated pair file_name and content instead.
          { required: true, orElse: ['content'] },
        ),
        ...settings,
        ...old,
      },
      examples: [
        {
          does: 'Create a snippet from a local file',
          run: 'snippets create --project acme/rocket --title "Orbit" --file file_path=main.py,content=@main.py',
        },
        {
          does: 'Create an internal snippet from two files',
          run: 'snippets create --project acme/rocket --title "Orbit, explained" --visibility internal --file file_path=main.py,content=@main.py --file file_path=notes.txt,content=@notes.txt',
        },
        {
          does: 'Read the list of files from a JSON file',
          run: 'snippets create --project acme/rocket --title "A set of tools" --files @files.json',
        },
      ],
    },
    update: {
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
      examples: [
        { does: 'Change the title', run: 'snippets update 51 --project acme/rocket --title "Say hello"' },
        {
          does: 'Replace the content of a file with a local file',
          run: 'snippets update 52 --project acme/rocket --file action=update,file_path=main.py,content=@main.py',
        },
        {
          does: 'Move one file and add another file',
          run: 'snippets update 52 --project acme/rocket --file action=move,previous_path=lib/util.py,file_path=lib/tools.py --file action=create,file_path=notes.txt,content=@notes.txt',
        },
      ],
    },
    delete: {
      examples: [
        { does: 'Delete without confirmation', run: 'snippets delete 53 --project acme/rocket --yes' },
        {
          does: 'Print the request without sending it',
          run: 'snippets delete 51 --project acme/rocket --dry-run',
        },
      ],
    },
  }),
);

export const { get: getSnippet } = calls;

const rawFile = endpoint('GET snippets/:snippet_id/files/:ref/:file_path/raw', {
  section: '4.8',
  command: 'raw-file <snippet-id> <ref> <file-path>',
  summary: 'Print one file of a snippet',
  slots: {
    snippet_id: snippetId,
    ref: text('Branch, tag or commit of the snippet repository, usually main'),
    file_path: path,
  },
  access: open,
  returns: raw('text/plain'),
  examples: [
    { does: 'Print one file', run: 'snippets raw-file 52 main main.py --project acme/rocket' },
    {
      does: 'Save one file',
      run: 'snippets raw-file 52 main lib/util.py --project acme/rocket --output-file util.py',
    },
  ],
});

const others = under(project, [
  endpoint('GET snippets/:snippet_id/raw', {
    section: '4.8',
    command: 'raw <snippet-id>',
    summary: 'Print the content of a snippet',
    doc: 'Prints the first file of the snippet. Use `snippets raw-file` to print another file.',
    slots,
    access: open,
    returns: raw('text/plain'),
    examples: [
      { does: 'Print a snippet', run: 'snippets raw 51 --project acme/rocket' },
      {
        does: 'Save a snippet to a file',
        run: 'snippets raw 51 --project acme/rocket --output-file hello.sh',
      },
    ],
  }),
  rawFile,
  endpoint('GET snippets/:snippet_id/user_agent_detail', {
    section: '4.8',
    command: 'user-agent <snippet-id>',
    summary: 'Show the user agent and IP address used to create a snippet',
    slots,
    returns: one({
      user_agent: text('User agent of the request that created the snippet'),
      ip_address: text('IP address of the request that created the snippet'),
      antispam_submitted: bool('Submitted to a spam check'),
    }),
    access: { role: 'administrator' },
    examples: [
      { does: 'Show the user agent and IP address', run: 'snippets user-agent 51 --project acme/rocket' },
      {
        does: 'Print only the IP address for a script',
        run: 'snippets user-agent 51 --project acme/rocket --fields ip_address -o tsv --no-header',
      },
    ],
  }),
]);

export const snippets = resource({
  kind: 'snippets',
  noun: 'snippet',
  calls: [calls],
  identity: [['title']],
  attributes: {
    title: snippet.title,
    description: snippet.description,
    visibility: snippet.visibility,
    files: rows('Files of the snippet', {
      file_path: { ...path, required: true },
      content: { ...content, required: true },
    }),
  },
  limits: ['only the first file is exported if the service does not list the files'],
  async complete(row, slots, from, entry) {
    if (entry && entry['files'] === undefined) return row;
    const at = { ...slots, snippet_id: String(row['id']) };
    const details = await from.object(getSnippet, at);
    const listed = listedFiles(details?.['files']) ?? [{ path: String(row['file_name']), ref: 'main' }];
    const known = new Set(listed.map(({ path: name }) => name));
    const declared = filesOf(entry ?? {}).flatMap(({ file_path: name }) =>
      known.has(name) ? [] : [{ path: name, ref: 'main' }],
    );
    const contents = [...listed, ...declared].map(async ({ path: file_path, ref }) => ({
      file_path,
      content: await from.text(inScope(project, rawFile), { ...at, ref, file_path }),
    }));
    const found = (await Promise.all(contents)).filter(({ content: text }) => text !== undefined);
    return { ...row, files: found };
  },
  toUpdate: (changed, row) =>
    'files' in changed ? { ...changed, files: actionsFor(changed, row) } : changed,
});

interface SnippetFile {
  readonly file_path: string;
  readonly content: string;
}

const filesOf = ({ files }: Row): readonly SnippetFile[] => (Array.isArray(files) ? files : []);

/** The files that a service lists, which the specification does not mention. */
function listedFiles(files: unknown): readonly { readonly path: string; readonly ref: string }[] | undefined {
  if (!Array.isArray(files)) return undefined;
  return files.filter(isRecord).map(({ path: name, raw_url }) => ({
    path: String(name),
    ref: /\/raw\/([^/]+)\//.exec(String(raw_url))?.[1] ?? 'main',
  }));
}

/** The actions that turn the files of a snippet into those of an entry. */
function actionsFor(changed: Row, row: Row): Row[] {
  const before = new Map(filesOf(row).map(({ file_path, content }) => [file_path, content]));
  const after = filesOf(changed);
  const kept = new Set(after.map(({ file_path }) => file_path));
  return [
    ...after
      .filter(({ file_path, content }) => before.get(file_path) !== content)
      .map((one) => ({ action: before.has(one.file_path) ? 'update' : 'create', ...one })),
    ...[...before.keys()]
      .filter((file_path) => !kept.has(file_path))
      .map((file_path) => ({ action: 'delete', file_path })),
  ];
}

export default area([...Object.values(calls), ...others]);
