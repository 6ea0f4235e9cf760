import { area, inArea } from '../spec/compose.ts';
import { bool, int, secret, text } from '../spec/field.ts';
import { project } from './scopes.ts';

const endpoint = inArea('client-keys', {
  noun: 'client key',
  scope: project,
  access: { role: 'maintainer', offering: 'hosted', scope: 'api' },
  fields: {
    id: int('Key id'),
    active: bool('Accepted by the service'),
    public_key: text('Value of the key'),
    tracker_dsn: secret('URL (DSN) for sending errors from an application; contains the key'),
  },
  columns: ['id', 'active', 'public_key', { path: 'tracker_dsn', label: 'DSN' }],
  sample: '502',
});

export const listClientKeys = endpoint('GET error_tracking/client_keys', {
  examples: { 'Print only the URLs for a script': '--fields tracker_dsn -o tsv --no-header' },
});

export default area(
  [
    listClientKeys,
    endpoint('POST error_tracking/client_keys', {
      generates: true,
      examples: { 'Create a client key and print only its URL': '--fields tracker_dsn -o tsv --no-header' },
    }),
    endpoint('DELETE error_tracking/client_keys/:key_id', {
      lossWarning: 'Applications that use the key can no longer send errors',
    }),
  ],
  'To replace a leaked key, create a new key, configure the applications to use the new key, and delete the old key. Requires a token with the api scope.',
);
