/** `svc copy`: copy the settings of a project or a group to others. Its code is loaded when it runs. */
import { textFlag } from '../spec/flag.ts';
import { sharedByPlan, taskCommand } from './context.ts';
import { applyFlags, groupPath, listFile, planFlags } from './engine/flags.ts';

const target = { placeholder: 'id|path' } as const;

export const copyCommand = taskCommand({
  name: 'copy',
  effect: 'destructive',
  args: '[kind...]',
  summary: 'Copy the settings of a project or a group to others',
  doc: 'Shows the plan, asks for confirmation, and makes the kinds of settings of the others equal: all that svc export knows, or those named. A second run sends no write. Hidden values, a second resource with the same name, and kinds that a target does not have cannot be copied; they are listed, and the exit code is 11.',
  exits: ['unsuccessful', 'partial'],
  flags: {
    from: textFlag('Project or group to copy from', {
      ...target,
      required: 'name the project or group: --from acme/rocket',
      repeats: true,
    }),
    to: textFlag('Project or group to copy to; may be repeated', { ...target, repeats: true }),
    'to-file': textFlag('File with one project or group to copy to per line; # starts a comment', listFile),
    'to-group': textFlag('Copy to the projects of this group, or from a group to its subgroups', groupPath),
    recursive: { doc: 'With --to-group: include those of subgroups' },
    ...applyFlags,
    prune: { doc: 'Delete settings of the targets that the source does not have' },
    ...planFlags,
  },
  shared: sharedByPlan,
  notInEach: 'it copies to several targets itself',
  examples: {
    'Copy to another project': '--from acme/rocket --to acme/website --yes',
    'Copy badges and protected branches to all projects of a group':
      'badges protected_branches --from acme/rocket --to-group acme --yes',
  },
  run: async (task, options) => (await import('./engine/copy.ts')).copySettings(task, options),
});
