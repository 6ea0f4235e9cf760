import { area } from '../spec/compose.ts';
import { endpoint, one, raw } from '../spec/endpoint.ts';
import { bool, choice, int, url } from '../spec/field.ts';

const dependencyExport = {
  id: int('Export id'),
  has_finished: bool('Ready for download'),
  self: url('API URL of the export'),
  download: url('Download URL of the document'),
};

const common = { section: '4.13', access: { role: 'user', tier: 'ultimate' } } as const;
const slots = { id: int('Export id, as printed by `dependency-exports create`', { placeholder: 'id' }) };

const createExport = endpoint('POST pipelines/:id/dependency_list_exports', {
  ...common,
  command: 'create <pipeline-id>',
  as: { 'pipeline-id': 'id' },
  summary: 'Start an export of the dependency list of a pipeline',
  doc: 'The export runs in the background. Use `dependency-exports get` to check its progress.',
  slots: { id: int('Pipeline id', { placeholder: 'id', suggest: 'jobs/list/pipeline.id' }) },
  takes: {
    export_type: choice(['sbom'], 'Type of the document: a software bill of materials (SBOM)', {
      required: true,
    }),
  },
  returns: one(dependencyExport),
  later: 'document',
  done: 'Started export {id} of the dependency list of pipeline {pipeline-id}',
  examples: [
    { does: 'Export the dependencies of pipeline 1010', run: 'dependency-exports create 1010' },
    {
      does: 'Print only the export id for a script',
      run: 'dependency-exports create 1010 --fields id -o tsv --no-header',
    },
  ],
});

export const getExport = endpoint('GET dependency_list_exports/:id', {
  ...common,
  command: 'get <id>',
  summary: 'Show the status of an export',
  slots,
  returns: one(dependencyExport),
  examples: [
    { does: 'Show one export', run: 'dependency-exports get 95' },
    {
      does: 'Print only the status for a script',
      run: 'dependency-exports get 95 --fields has_finished -o tsv --no-header',
    },
  ],
});

export const downloadExport = endpoint('GET dependency_list_exports/:id/download', {
  ...common,
  command: 'download <id>',
  summary: 'Download the bill of materials',
  doc: 'The document is in CycloneDX JSON format. The service returns 404 until the export is ready.',
  slots,
  returns: raw('application/json'),
  examples: [
    { does: 'Print the document', run: 'dependency-exports download 95' },
    { does: 'Save the document to a file', run: 'dependency-exports download 95 --output-file sbom.json' },
  ],
});

export default area(
  [createExport, getExport, downloadExport],
  'Only the user who created an export can access it. The service deletes exports after one hour.',
);
