import { area, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one } from '../spec/endpoint.ts';
import { bool, int, secret, text } from '../spec/field.ts';
import { project } from './scopes.ts';

const key = {
  id: int('Key id'),
  active: bool('Accepted by the service'),
  public_key: text('Value of the key'),
  tracker_dsn: secret('URL (DSN) for sending errors from an application; contains the key'),
};

const common = { section: '4.19', access: { role: 'maintainer', offering: 'hosted', scope: 'api' } } as const;
const columns = ['id', 'active', 'public_key', { path: 'tracker_dsn', label: 'DSN' }] as const;

export default area(
  under(project, [
    endpoint('GET error_tracking/client_keys', {
      ...common,
      command: 'list',
      summary: 'List client keys of a project',
      takes: paging,
      noun: 'client key',
      returns: listOf(key),
      columns,
      examples: [
        { does: 'List client keys with their URLs', run: 'client-keys list --project acme/rocket' },
        {
          does: 'Print only the URLs for a script',
          run: 'client-keys list --project acme/rocket --fields tracker_dsn -o tsv --no-header',
        },
      ],
    }),
    endpoint('POST error_tracking/client_keys', {
      ...common,
      command: 'create',
      summary: 'Create a client key',
      returns: one(key),
      columns,
      done: 'Created client key {id}',
      generates: true,
      examples: [
        { does: 'Create a client key', run: 'client-keys create --project acme/rocket' },
        {
          does: 'Create a client key and print only its URL',
          run: 'client-keys create --project acme/rocket --fields tracker_dsn -o tsv --no-header',
        },
      ],
    }),
    endpoint('DELETE error_tracking/client_keys/:key_id', {
      ...common,
      command: 'delete <key-id>',
      summary: 'Delete a client key',
      doc: 'The service then rejects events that use the key.',
      slots: { key_id: int('Key id from `client-keys list`', { placeholder: 'id' }) },
      returns: nothing,
      confirm: 'yes',
      done: 'Deleted client key {key_id}',
      loses: 'Applications that use the key can no longer send errors',
      examples: [
        { does: 'Delete without confirmation', run: 'client-keys delete 502 --project acme/rocket --yes' },
        {
          does: 'Print the request without sending it',
          run: 'client-keys delete 502 --project acme/rocket --dry-run',
        },
      ],
    }),
  ]),
  'To replace a leaked key, create a new key, configure the applications to use the new key, and delete the old key. Requires a token with the api scope.',
);
