import { area, inArea } from '../spec/compose.ts';
import { raw } from '../spec/endpoint.ts';
import { bool, choice, int, url } from '../spec/field.ts';
import { pipelineId } from './parts.ts';

const endpoint = inArea('dependency-exports', {
  noun: 'export',
  access: { role: 'user', tier: 'ultimate' },
  fields: {
    id: int('Export id'),
    has_finished: bool('Ready for download'),
    self: url('API URL of the export'),
    download: url('Download URL of the document'),
  },
  slots: { id: int('Export id, as printed by `dependency-exports create`') },
});

export const getExport = endpoint('GET dependency_list_exports/:id', {
  summary: 'Show the status of an export',
  examples: { 'Print only the status for a script': '95 --fields has_finished -o tsv --no-header' },
});

export const downloadExport = endpoint('GET dependency_list_exports/:id/download', {
  summary: 'Download the bill of materials',
  doc: 'The document is in CycloneDX JSON format. The service returns 404 until the export is ready.',
  returns: raw('application/json'),
  nextSteps: { 404: 'it may not be ready yet: svc dependency-exports get <id>' },
  examples: { 'Save the document to a file': '95 --output-file sbom.json' },
});

export const createExport = endpoint('POST pipelines/:id/dependency_list_exports', {
  command: 'create <pipeline-id>',
  argumentFields: { 'pipeline-id': 'id' },
  summary: 'Start an export of the dependency list of a pipeline',
  doc: 'The export runs in the background. Use `dependency-exports get` to check its progress.',
  slots: { id: pipelineId },
  takes: {
    export_type: choice(['sbom'], 'Type of the document: a software bill of materials (SBOM)', {
      required: true,
    }),
  },
  background: 'document',
  done: 'Started export {id} of the dependency list of pipeline {pipeline-id}',
  examples: { 'Print only the export id for a script': '1010 --fields id -o tsv --no-header' },
});

export default area(
  [createExport, getExport, downloadExport],
  'Only the user who created an export can access it. The service deletes exports after one hour.',
);
