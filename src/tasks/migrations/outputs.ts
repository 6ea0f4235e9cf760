/** What the tasks of `svc migrations` print. */
import { listEntities, listFailures } from '../../api/migrations.ts';
import { type Endpoint, wholeListOf } from '../../spec/endpoint.ts';
import { bool, int, list, text } from '../../spec/field.ts';

/** The rows of `migrations watch`. */
export const outcomes: Endpoint = {
  ...listEntities,
  noun: 'entity',
  returns: wholeListOf({
    id: int('Entity id'),
    status: text('Status'),
    entity_type: text('Type of the source: group or project'),
    source_full_path: text('Full path on the source instance'),
    destination_full_path: text('Full path on this instance'),
    imported: int('Number of items that were copied'),
    source: int('Number of items on the source instance'),
    has_failures: bool('At least one item was not copied'),
  }),
  columns: [
    'id',
    'status',
    { path: 'entity_type', label: 'TYPE' },
    { path: 'source_full_path', label: 'SOURCE' },
    { path: 'destination_full_path', label: 'DESTINATION' },
    'imported',
    { path: 'source', label: 'ITEMS' },
    { path: 'has_failures', label: 'FAILURES' },
  ],
};

/** The rows of `migrations report`. */
export const groups: Endpoint = {
  ...listFailures,
  noun: 'failure',
  returns: wholeListOf({
    exception_class: text('Class of the exception'),
    relation: text('Part of the entity, such as labels'),
    count: int('Number of failures'),
    entities: list(text('Path'), 'Full paths of the groups and projects on the source instance'),
    exception_message: text('Message of the first failure'),
    correlation_id_value: text('Correlation id of the first failure in the logs of the service'),
  }),
  columns: [
    { path: 'exception_class', label: 'ERROR', kind: 'name' },
    'relation',
    'count',
    'entities',
    { path: 'exception_message', label: 'MESSAGE' },
    { path: 'correlation_id_value', label: 'CORRELATION' },
  ],
};
