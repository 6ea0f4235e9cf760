/** The tasks of `svc files`. */
import { project } from '../../api/scopes.ts';
import { taskCommand } from '../context.ts';

export { runners } from './write.ts';

const editCommand = taskCommand({
  name: 'edit',
  effect: 'write',
  notInEach: 'it opens an editor on the terminal, which the targets would share',
  args: '<file-path>',
  summary: 'Change a file in an editor and commit it',
  doc: 'Opens VISUAL or EDITOR, and commits if the content changed. If another commit changed the file meanwhile, nothing is overwritten and both versions are kept.',
  flags: {
    branch: { kind: 'text', placeholder: 'branch', doc: 'Branch to change (default: the default branch)' },
    'commit-message': {
      short: 'm',
      kind: 'text',
      doc: 'Message of the commit (default: Update <file-path>)',
    },
  },
  shared: ['dry-run', 'curl'],
  scopes: [project],
  examples: [
    {
      does: 'Edit a file on a branch',
      run: 'files edit README.md --branch main -m "Explain the launch" --project acme/rocket',
    },
  ],
  run: async (task, options) => (await import('./edit.ts')).editFile(task, options),
});

export const commands = [editCommand];
