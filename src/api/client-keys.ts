import { area, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, nothing, one } from '../spec/endpoint.ts';
import { bool, int, secret, text } from '../spec/field.ts';
import { project } from './scopes.ts';

const key = {
  id: int('Key id'),
  active: bool('Events sent with it are taken'),
  public_key: text('The key itself'),
  tracker_dsn: secret('Address that an application sends its errors to; holds the key'),
};

const common = { section: '4.19', access: { role: 'maintainer', offering: 'hosted', scope: 'api' } } as const;
const columns = ['id', 'active', 'public_key', 'tracker_dsn'] as const;

export default area(
  under(project, [
    endpoint('GET error_tracking/client_keys', {
      ...common,
      command: 'list',
      summary: 'List the keys that applications send errors with',
      takes: paging,
      returns: listOf(key),
      columns,
      examples: [
        { does: 'The keys of a project, and their addresses', run: 'client-keys list --project acme/rocket' },
        {
          does: 'The addresses, for the settings of an application',
          run: 'client-keys list --project acme/rocket --fields tracker_dsn -o tsv --no-header',
        },
      ],
    }),
    endpoint('POST error_tracking/client_keys', {
      ...common,
      command: 'create',
      summary: 'Create a key',
      returns: one(key),
      columns,
      examples: [
        { does: 'For an application', run: 'client-keys create --project acme/rocket' },
        {
          does: 'Its address alone',
          run: 'client-keys create --project acme/rocket --fields tracker_dsn -o tsv --no-header',
        },
      ],
    }),
    endpoint('DELETE error_tracking/client_keys/:key_id', {
      ...common,
      command: 'delete <key-id>',
      summary: 'Delete a key',
      doc: 'Events sent with it are refused from then on.',
      slots: { key_id: int('Key id, as `client-keys list` shows it', { placeholder: 'id' }) },
      returns: nothing,
      confirm: 'yes',
      examples: [
        { does: 'Without being asked', run: 'client-keys delete 502 --project acme/rocket --yes' },
        {
          does: 'See the request before it is made',
          run: 'client-keys delete 502 --project acme/rocket --dry-run',
        },
      ],
    }),
  ]),
  'To replace a key that has leaked: create a new one, move the applications to it, delete the old one. A token needs the scope api.',
);
