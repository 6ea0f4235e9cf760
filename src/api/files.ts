import { area, inArea } from '../spec/compose.ts';
import { one, raw, wholeListOf } from '../spec/endpoint.ts';
import { bool, choice, hash, int, list, long, need, object, omit, pick, text } from '../spec/field.ts';
import { commit } from './parts.ts';
import { project } from './scopes.ts';

const file = {
  file_name: text('File name without folders'),
  file_path: text('Path in the repository', { placeholder: 'path' }),
  size: int('Size in bytes'),
  encoding: text('Encoding of the content: base64'),
  content: text('Content in base64', { bulky: true }),
  content_sha256: text('SHA-256 checksum in hexadecimal'),
  ref: text('Branch, tag or commit of the file'),
  blob_id: text('Blob id'),
  commit_id: text('Commit that the ref points to'),
  last_commit_id: text('Latest commit that changed the file'),
  execute_filemode: bool('Executable'),
};

const facts = omit(file, 'content');
const factColumns = [
  'file_path',
  'size',
  'ref',
  'last_commit_id',
  'commit_id',
  'blob_id',
  'content_sha256',
  'execute_filemode',
] as const;

const blamed = {
  commit: object('Commit that last changed these lines', {
    ...pick(commit, 'id', 'message', 'parent_ids', 'authored_date', 'author_name', 'author_email'),
    ...pick(commit, 'committed_date', 'committer_name', 'committer_email'),
    parent_ids: list(text('Commit SHA'), 'Parent commits'),
  }),
  lines: list(long('Line'), 'Lines in order'),
};

const written = {
  file_path: text('Path of the file'),
  branch: text('Branch of the commit'),
};

const atRef = {
  ref: text('Branch, tag or commit to read from; HEAD is the default branch', {
    required: true,
    implied: 'HEAD',
    placeholder: 'ref',
    suggest: 'branches/list/name',
  }),
};

const readRaw = {
  ref: text('Branch, tag or commit to read from; by default, the default branch', {
    placeholder: 'ref',
    suggest: 'branches/list/name',
  }),
  lfs: bool('Content of the large file (LFS) instead of its pointer', { default: false }),
};

const readBlame = {
  ...atRef,
  range: hash('Range of lines, counted from 1', {
    start: int('First line', { required: true, min: 1 }),
    end: int('Last line', { required: true, min: 1 }),
  }),
};

const commitFields = {
  branch: text('Branch to commit to', {
    required: true,
    placeholder: 'branch',
    suggest: 'branches/list/name',
  }),
  commit_message: long('Message of the commit', { required: true, short: 'm' }),
  start_branch: text('Branch to create --branch from if it does not exist', {
    placeholder: 'branch',
    suggest: 'branches/list/name',
  }),
  author_name: text('Name of the author; by default, your name'),
  author_email: text('Email address of the author', { placeholder: 'address' }),
};

const change = {
  ...need(commitFields, 'branch', 'commit_message'),
  content: long('Content of the whole file', { required: true }),
  encoding: choice(
    ['text', 'base64'],
    'Encoding of the content. base64: svc encodes a file, and other text must be in Base64',
    {
      default: 'text',
    },
  ),
  execute_filemode: bool('Make the file executable'),
  ...pick(commitFields, 'start_branch', 'author_name', 'author_email'),
};

const guarded = {
  last_commit_id: text('Reject the change if the file has changed since this commit', {
    placeholder: 'sha',
    // Without a value, the change would be made in any case.
    pattern: { test: /\S/, message: 'must not be empty' },
  }),
};

const endpoint = inArea('files', {
  noun: 'file',
  scope: project,
  slots: {
    file_path: {
      ...file.file_path,
      pattern: { test: /^(?!.*\/\.\.\/)/s, message: 'must be a path without /../' },
    },
  },
});

const reading = { access: { anonymous: true, scope: 'read_repository' } } as const;
/** A HEAD request returns facts of the file in headers. */
const headers = { ...reading, returns: { kind: 'headers', fields: facts }, columns: factColumns } as const;

export const getFile = endpoint('GET repository/files/:file_path', {
  ...reading,
  summary: 'Show size, commits, checksum and content of a file',
  doc: 'Use `files raw` to download the file.',
  usage: 'The table omits the content; --json includes it in base64.',
  takes: atRef,
  returns: one(file),
  columns: factColumns,
  examples: {
    'Print only the last commit for a script':
      'src/main.ts --ref main --fields last_commit_id -o tsv --no-header',
    'Print a file with its content; the path contains spaces': '"docs/café menu.md" --ref main --json',
  },
});

export const updateFile = endpoint('PUT repository/files/:file_path', {
  doc: 'The service rejects content that is the same as before. Its error messages do not give the reason.',
  nextSteps: {
    400: 'the file may not exist, have this content already, or have changed since --last-commit-id: svc files get <file-path>',
  },
  summary: 'Change a file in a new commit',
  takes: { ...change, ...guarded },
  returns: one(written),
  done: 'Updated file {file_path} on branch {branch}',
  examples: {
    'Read the content from a local file':
      'README.md --branch main --commit-message "Say more" --content @README.md',
    'Commit on a new branch with another author':
      'docs/guide.md --branch docs/guide --start-branch main --commit-message "Rewrite the guide" --content @page.md --author-name "Mia Maintainer" --author-email mia@example.com',
  },
});

export default area(
  [
    getFile,
    endpoint('GET repository/files/:file_path/raw', {
      ...reading,
      summary: 'Print or save the content of a file',
      usage: 'Writes the content to standard output, or to a file with --output-file.',
      takes: readRaw,
      returns: raw(),
      examples: {
        'Save a file from a tag': 'src/main.ts --ref v1.0.0 --output-file main.ts',
        'Print the content of a large file (LFS)': 'models/nose.lfs --lfs',
      },
    }),
    endpoint('GET repository/files/:file_path/blame', {
      ...reading,
      summary: 'Show who last changed each line of a file',
      takes: readBlame,
      noun: 'blame range',
      returns: wholeListOf(blamed),
      columns: [
        'commit.id',
        'commit.author_name',
        { path: 'commit.authored_date', label: 'DATE' },
        { path: 'lines', label: 'LINE' },
      ],
      examples: {
        'Show the first three lines with their commit messages':
          'src/main.ts --ref main --range start=1 --range end=3 --fields lines,commit.message',
      },
    }),
    endpoint('HEAD repository/files/:file_path', {
      ...headers,
      summary: 'Show size, commits and checksum of a file without its content',
      takes: atRef,
      examples: {
        'Print only the checksum for a script':
          'README.md --ref main --fields content_sha256 -o tsv --no-header',
      },
    }),
    endpoint('HEAD repository/files/:file_path/raw', {
      ...headers,
      summary: 'Show the metadata that `files raw` returns, without the content',
      takes: readRaw,
      examples: { 'Show the size of a large file (LFS)': 'models/nose.lfs --lfs --fields size' },
    }),
    endpoint('HEAD repository/files/:file_path/blame', {
      ...headers,
      summary: 'Show the metadata that `files blame` returns, without the lines',
      takes: readBlame,
      examples: { 'Print a file at a tag as JSON': 'src/main.ts --ref v1.1.0 --json' },
    }),
    endpoint('POST repository/files/:file_path', {
      summary: 'Create a file in a new commit',
      takes: change,
      returns: one(written),
      done: 'Created file {file_path} on branch {branch}',
      nextSteps: { 400: 'if the file already exists, use svc files update <file-path>' },
      examples: {
        'Read the content from a local file':
          'docs/notes.md --branch main --commit-message "Add notes" --content @notes.txt',
        'Add an executable script on a new branch':
          'bin/land.sh --branch feature/land --start-branch main --commit-message "Add a landing script" --content "echo touchdown" --execute-filemode',
      },
    }),
    updateFile,
    endpoint('DELETE repository/files/:file_path', {
      summary: 'Delete a file in a new commit',
      takes: { ...commitFields, ...guarded },
      done: 'Deleted file {file_path} from branch {branch}',
      examples: {
        'Delete a file on a new branch':
          'docs/guide.md --branch docs/tidy --start-branch main --commit-message "Drop the guide" --yes',
      },
    }),
  ],
  'Each write creates one commit with one file. Files of public projects can be read without a token.',
);
