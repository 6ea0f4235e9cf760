import { area, under } from '../spec/compose.ts';
import { endpoint, headersOf, nothing, one, raw, wholeListOf } from '../spec/endpoint.ts';
import { bool, choice, datetime, hash, int, list, long, object, omit, pick, text } from '../spec/field.ts';
import { project } from './scopes.ts';

const file = {
  file_name: text('Name without its folders'),
  file_path: text('Path from the top of the repository', { placeholder: 'path', suggest: 'path' }),
  size: int('Size in bytes'),
  encoding: text('How content is written: base64'),
  content: text('The file itself, in base64'),
  content_sha256: text('SHA-256 of the bytes, in hexadecimal'),
  ref: text('Branch, tag or commit that it was read from'),
  blob_id: text('Id of the blob in the repository'),
  commit_id: text('Commit of the ref'),
  last_commit_id: text('Latest commit that changed the file'),
  execute_filemode: bool('May be run as a program'),
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
    id: text('Commit SHA'),
    message: text('Commit message'),
    parent_ids: list(text('Commit SHA'), 'Commits that it follows'),
    authored_date: datetime('When it was written'),
    author_name: text('Who wrote it'),
    author_email: text('Address of the author'),
    committed_date: datetime('When it was committed'),
    committer_name: text('Who committed it'),
    committer_email: text('Address of the committer'),
  }),
  lines: list(long('Line'), 'The lines, in order'),
};

const written = {
  file_path: text('Path of the file'),
  branch: text('Branch that the commit is on'),
};

const atRef = {
  ref: text('Branch, tag or commit to read from', { required: true, placeholder: 'ref', suggest: 'branch' }),
};

const readRaw = {
  ref: text('Branch, tag or commit to read from; without it, the head of the project', {
    placeholder: 'ref',
    suggest: 'branch',
  }),
  lfs: bool('The content behind a large-file (LFS) pointer, where the file is one', { default: false }),
};

const readBlame = {
  ...atRef,
  range: hash('Only these lines, counted from 1', {
    start: int('First line', { required: true, min: 1 }),
    end: int('Last line', { required: true, min: 1 }),
  }),
};

const commit = {
  branch: text('Branch to commit to', { required: true, placeholder: 'branch', suggest: 'branch' }),
  commit_message: long('Message of the commit', { required: true }),
  start_branch: text('Branch to start from, where --branch does not exist yet', {
    placeholder: 'branch',
    suggest: 'branch',
  }),
  author_name: text('Author of the commit; without it, you'),
  author_email: text('Address of the author', { placeholder: 'address' }),
};

const change = {
  branch: commit.branch,
  commit_message: commit.commit_message,
  content: long('Content of the whole file', { required: true, exact: true }),
  encoding: choice(['text', 'base64'], 'How --content is written; base64 for what is not text', {
    default: 'text',
  }),
  execute_filemode: bool('Set or clear the mark that it may be run as a program'),
  ...pick(commit, 'start_branch', 'author_name', 'author_email'),
};

const guarded = {
  last_commit_id: text('Refuse if a commit later than this one changed the file', { placeholder: 'sha' }),
};

const slots = { file_path: file.file_path };
const reading = { section: '4.4', slots, access: { anonymous: true, scope: 'read_repository' } } as const;
const writing = { section: '4.4', slots } as const;

export default area(
  under(project, [
    endpoint('GET repository/files/:file_path', {
      ...reading,
      command: 'get <file-path>',
      summary: 'Show a file: size, commits, checksum, content',
      doc: 'The table leaves the content out; --json has it, in base64. `files raw` gives the bytes themselves.',
      takes: atRef,
      returns: one(file),
      columns: factColumns,
      examples: [
        { does: 'What is known of a file', run: 'files get README.md --project acme/rocket --ref main' },
        {
          does: 'Its last commit, for a script',
          run: 'files get src/main.ts --project acme/rocket --ref main --fields last_commit_id -o tsv --no-header',
        },
        {
          does: 'A path with a space and an accent, with its content',
          run: 'files get "docs/café menu.md" --project acme/rocket --ref main --json',
        },
      ],
    }),
    endpoint('GET repository/files/:file_path/raw', {
      ...reading,
      command: 'raw <file-path>',
      summary: 'Print the bytes of a file, or save them',
      doc: 'Bytes go to standard output as they are; --output-file saves them under a name.',
      takes: readRaw,
      returns: raw('text/plain'),
      examples: [
        { does: 'Read a file', run: 'files raw README.md --project acme/rocket' },
        {
          does: 'Save one as it was at a tag',
          run: 'files raw src/main.ts --project acme/rocket --ref v1.0.0 --output-file main.ts',
        },
        {
          does: 'Content of a file in large file storage',
          run: 'files raw models/nose.lfs --project acme/rocket --lfs',
        },
      ],
    }),
    endpoint('GET repository/files/:file_path/blame', {
      ...reading,
      command: 'blame <file-path>',
      summary: 'Show who last changed each line of a file',
      takes: readBlame,
      returns: wholeListOf(blamed),
      columns: ['commit.id', 'commit.author_name', 'commit.authored_date', 'lines'],
      examples: [
        { does: 'Every line', run: 'files blame src/main.ts --project acme/rocket --ref main' },
        {
          does: 'The first three lines, and why they are as they are',
          run: 'files blame src/main.ts --project acme/rocket --ref main --range start=1 --range end=3 --fields lines,commit.message',
        },
      ],
    }),
    endpoint('HEAD repository/files/:file_path', {
      ...reading,
      command: 'head <file-path>',
      summary: 'Show the same without fetching the content',
      takes: atRef,
      returns: headersOf(facts),
      columns: factColumns,
      examples: [
        {
          does: 'Is it there, and how big',
          run: 'files head assets/logo.png --project acme/rocket --ref main',
        },
        {
          does: 'Its checksum, for a script',
          run: 'files head README.md --project acme/rocket --ref main --fields content_sha256 -o tsv --no-header',
        },
      ],
    }),
    endpoint('HEAD repository/files/:file_path/raw', {
      ...reading,
      command: 'raw-head <file-path>',
      summary: 'Show what `raw` would fetch',
      takes: readRaw,
      returns: headersOf(facts),
      columns: factColumns,
      examples: [
        { does: 'On the default branch', run: 'files raw-head README.md --project acme/rocket' },
        {
          does: 'The size behind a large-file pointer',
          run: 'files raw-head models/nose.lfs --project acme/rocket --lfs --fields size',
        },
      ],
    }),
    endpoint('HEAD repository/files/:file_path/blame', {
      ...reading,
      command: 'blame-head <file-path>',
      summary: 'Show what `blame` would read',
      takes: readBlame,
      returns: headersOf(facts),
      columns: factColumns,
      examples: [
        { does: 'On a branch', run: 'files blame-head src/main.ts --project acme/rocket --ref main' },
        {
          does: 'At a tag, as JSON',
          run: 'files blame-head src/main.ts --project acme/rocket --ref v1.1.0 --json',
        },
      ],
    }),
    endpoint('POST repository/files/:file_path', {
      ...writing,
      command: 'create <file-path>',
      summary: 'Commit a new file',
      takes: change,
      returns: one(written),
      examples: [
        {
          does: 'From a file on disk',
          run: 'files create docs/notes.md --project acme/rocket --branch main --commit-message "Add notes" --content @notes.txt',
        },
        {
          does: 'A script, on a new branch',
          run: 'files create bin/land.sh --project acme/rocket --branch feature/land --start-branch main --commit-message "Add a landing script" --content "echo touchdown" --execute-filemode',
        },
      ],
    }),
    endpoint('PUT repository/files/:file_path', {
      ...writing,
      command: 'update <file-path>',
      summary: 'Commit new content of a file',
      doc: 'The service refuses content that is the same as before, and gives no reason for any refusal.',
      takes: { ...change, ...guarded },
      returns: one(written),
      examples: [
        {
          does: 'From a file on disk',
          run: 'files update README.md --project acme/rocket --branch main --commit-message "Say more" --content @README.md',
        },
        {
          does: "On a new branch, in a colleague's name",
          run: 'files update docs/guide.md --project acme/rocket --branch docs/guide --start-branch main --commit-message "Rewrite the guide" --content @page.md --author-name "Mia Maintainer" --author-email mia@example.com',
        },
      ],
    }),
    endpoint('DELETE repository/files/:file_path', {
      ...writing,
      command: 'delete <file-path>',
      summary: 'Commit the removal of a file',
      takes: { ...commit, ...guarded },
      returns: nothing,
      confirm: 'yes',
      examples: [
        {
          does: 'Without being asked',
          run: 'files delete CHANGELOG.md --project acme/rocket --branch main --commit-message "Drop the changelog" --yes',
        },
        {
          does: 'On a new branch',
          run: 'files delete docs/guide.md --project acme/rocket --branch docs/tidy --start-branch main --commit-message "Drop the guide" --yes',
        },
      ],
    }),
  ]),
  'Each write makes one commit with one file. A file of a public project can be read without a token.',
);
