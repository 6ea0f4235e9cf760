import { area } from '../spec/compose.ts';
import { endpoint, one, raw } from '../spec/endpoint.ts';
import { bool, choice, int, url } from '../spec/field.ts';

const dependencyExport = {
  id: int('Export id'),
  has_finished: bool('Ready to be downloaded'),
  self: url('Address of the export'),
  download: url('Address of the document'),
};

const common = { section: '4.13', access: { role: 'user', tier: 'ultimate' } } as const;
const slots = { id: int('Export id, as `create` printed it', { placeholder: 'id' }) };

const calls = [
  endpoint('POST pipelines/:id/dependency_list_exports', {
    ...common,
    command: 'create <pipeline-id>',
    as: { 'pipeline-id': 'id' },
    summary: 'Start an export of the dependencies that a pipeline found',
    doc: 'The service works in the background; `dependency-exports get` tells when it is ready.',
    slots: { id: int('Pipeline id', { placeholder: 'id' }) },
    takes: {
      export_type: choice(['sbom'], 'Kind of document; a software bill of materials is the only one', {
        required: true,
      }),
    },
    returns: one(dependencyExport),
    later: 'document',
    examples: [
      { does: 'What pipeline 1010 depends on', run: 'dependency-exports create 1010' },
      {
        does: 'Its id, for the commands that follow',
        run: 'dependency-exports create 1010 --fields id -o tsv --no-header',
      },
    ],
  }),
  endpoint('GET dependency_list_exports/:id', {
    ...common,
    command: 'get <id>',
    summary: 'Show whether an export is ready',
    slots,
    returns: one(dependencyExport),
    examples: [
      { does: 'How far it is', run: 'dependency-exports get 95' },
      {
        does: 'Yes or no, for a script',
        run: 'dependency-exports get 95 --fields has_finished -o tsv --no-header',
      },
    ],
  }),
  endpoint('GET dependency_list_exports/:id/download', {
    ...common,
    command: 'download <id>',
    summary: 'Print the bill of materials, or save it',
    doc: 'A CycloneDX document in JSON. The service answers 404 until the export is ready.',
    slots,
    returns: raw('application/json'),
    examples: [
      { does: 'Print it', run: 'dependency-exports download 95' },
      { does: 'Save it', run: 'dependency-exports download 95 --output-file sbom.json' },
    ],
  }),
] as const;

export const [, getExport, downloadExport] = calls;

export default area(
  calls,
  'An export can be reached by its author alone, and is gone an hour after it was created.',
);
