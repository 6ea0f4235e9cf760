/** The tasks of `svc dependency-exports`. */
import { downloadExport, getExport } from '../api/dependency-exports.ts';
import { pipelineId } from '../api/parts.ts';
import { Failure } from '../errors.ts';
import { computedRows } from '../spec/compose.ts';
import { choice, int, text } from '../spec/field.ts';
import { textFlag } from '../spec/flag.ts';
import { taskCommand } from './context.ts';
import { eachFlags, groupPath } from './engine/flags.ts';
import { waitable, waitForOutcome } from './engine/wait.ts';

export const runners = {
  create: waitable(async (task, call) => {
    const { polledExport } = await import('./components/components.ts');
    const save = await task.download();
    const created = await task.call(call);
    task.confirmed(call, created);
    const { id, ...polled } = polledExport(task, created);
    const download = task.resumeCommand(['dependency-exports', 'download', id]);
    const resume = `${polled.resume}, then ${download}`;
    const result = await waitForOutcome(task, { ...polled, resume, endpoint: getExport });
    if (!result.failure)
      await save?.({ endpoint: downloadExport, slots: { id }, values: {} }).catch((error: unknown) => {
        throw error instanceof Failure ? error.withHints(`the export is ready: ${download}`) : error;
      });
    return result;
  }),
};

const component = { component: text('Name of the component'), purl: text('Package URL', { nullable: true }) };

const foundComponents = computedRows(
  'component',
  {
    project: text('Project', { nullable: true }),
    ...component,
    version: text('Version'),
    pipeline: int('Pipeline id'),
  },
  { purl: null },
);

const changedComponents = computedRows(
  'difference',
  {
    change: choice(['added', 'removed', 'changed'], 'Kind of the difference'),
    ...component,
    from: text('Version in the first pipeline; several are separated by commas', { nullable: true }),
    to: text('Version in the second pipeline', { nullable: true }),
  },
  { purl: null },
);

const cost = 'Creates an export per pipeline, so read-only mode refuses it.';

const findCommand = taskCommand({
  name: 'find',
  effect: 'write',
  args: '<name>',
  of: { name: text('Name of the component, or its package URL without the version') },
  summary: 'Find the projects that contain a component',
  exits: ['partial'],
  doc: `With --projects or --in-group, reads the latest pipeline of each default branch. Versions compare by semantic versioning in the ecosystems that use it (npm, cargo, golang, hex, pub, swift, nuget, composer), otherwise part by part: numbers as numbers, text before numbers. A leading v is ignored. Exit code 11 if a project could not be read. ${cost}`,
  flags: {
    below: textFlag('Only versions before this one, and components without a version', {
      placeholder: 'version',
      pattern: { test: /\d/, message: 'must contain a number' },
    }),
    pipeline: textFlag('Search this pipeline, or latest, latest:<ref>', {
      placeholder: 'pipeline-id',
      pattern: {
        test: /^(?:\d+|latest(?::.+)?)$/s,
        message: 'must be a whole number, latest or latest:<ref>',
      },
    }),
    projects: eachFlags.projects,
    'in-group': textFlag('Search each project of this group', groupPath),
    recursive: eachFlags.recursive,
  },
  prints: foundComponents,
  tool: {
    flags: ['below', 'pipeline', 'in-group', 'recursive'],
    doc: 'Searches one pipeline, or the latest pipeline of the default branch of each project of a group. Versions compare by semantic versioning in the ecosystems that use it, otherwise part by part.',
  },
  examples: {
    'Find the projects of a group with an old version':
      'string-width --below 5.0.0 --in-group acme --recursive',
    'Search one pipeline': 'typescript --pipeline 1001',
  },
  run: async (task, options) => (await import('./components/components.ts')).findComponent(task, options),
});

const diffCommand = taskCommand({
  name: 'diff',
  effect: 'write',
  args: '<pipeline-id> <other-id>',
  of: { pipeline_id: pipelineId, other_id: pipelineId },
  summary: 'Compare the components of two pipelines',
  doc: `Exit code 10 if there are differences. A component is its package URL without the version. ${cost}`,
  exits: ['differs'],
  prints: changedComponents,
  tool: { flags: [], doc: 'A component is its package URL without the version.' },
  examples: { 'List what a branch changes': '1098 1099' },
  run: async (task) => (await import('./components/components.ts')).compareComponents(task),
});

export const commands = [findCommand, diffCommand];
