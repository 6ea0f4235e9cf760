/** The tasks of `svc files`. */

import { project } from '../../api/scopes.ts';
import { NotText } from '../../errors.ts';
import { textFlag } from '../../spec/flag.ts';
import { valueLimit } from '../../support/bytes.ts';
import { type Task, taskCommand } from '../context.ts';

/** `create` and `update`: the bytes of a file are sent in Base64 if they are not text, or with `--encoding base64`. */
const write: Task = async (task) => {
  const { content, encoding } = task.line.fields;
  const send = async (bytes: Uint8Array) => {
    const encoded = { content: Buffer.from(bytes).toString('base64'), encoding: 'base64' };
    return task.run(await task.prepare({ line: { fields: { ...task.line.fields, ...encoded } } }));
  };
  const [, file] = /^(-$|@(?!@).+)/s.exec(String(content ?? '')) ?? [];
  if (file !== undefined && encoding === 'base64') {
    const bytes = await task.read(file.replace(/^@/, ''), '--content', valueLimit);
    // A failed command before the pipe would empty the file.
    if (file !== '-' || bytes.length > 0) return send(bytes);
  }
  try {
    return await task.run(await task.prepare());
  } catch (error) {
    // Thrown while the values are read, so nothing was sent.
    if (!(error instanceof NotText)) throw error;
    if (encoding === 'text')
      throw error.withHints('omit --encoding or use --encoding base64, and svc encodes the bytes');
    return send(error.bytes);
  }
};

export const runners = { create: write, update: write };

const editCommand = taskCommand({
  name: 'edit',
  notInEach: 'it opens an editor on the terminal, which the targets would share',
  args: '<file-path>',
  summary: 'Change a file in an editor and commit it',
  doc: 'Opens VISUAL or EDITOR, and commits if the content changed. If another commit changed the file meanwhile, nothing is overwritten and both versions are kept.',
  flags: {
    branch: textFlag('Branch to change (default: the default branch)', { placeholder: 'branch' }),
    'commit-message': textFlag('Message of the commit (default: Update <file-path>)', { short: 'm' }),
  },
  shared: ['dry-run', 'curl'],
  scopes: [project],
  examples: { 'Edit a file on a branch': 'README.md --branch main -m "Explain the launch"' },
  run: async (task, options) => (await import('./edit.ts')).editFile(task, options),
});

export const commands = [editCommand];
