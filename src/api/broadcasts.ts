import { area, inArea } from '../spec/compose.ts';
import { bool, choice, datetime, int, list, long, omit, text } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';

const settings = {
  message: long('Text of the message, in Markdown'),
  starts_at: datetime('Start time'),
  ends_at: datetime('End time'),
  broadcast_type: choice(
    ['banner', 'notification'],
    'Type: a banner at the top of every page, or a notification in a corner',
  ),
  dismissable: bool('Allow users to dismiss the message'),
  theme: choice(
    [
      'indigo',
      'light-indigo',
      'blue',
      'light-blue',
      'green',
      'light-green',
      'red',
      'light-red',
      'dark',
      'light',
    ],
    'Color theme of a banner; not used for notifications',
  ),
  font: text('Text color in hexadecimal, such as #ffffff', { placeholder: 'color' }),
  target_access_levels: list(
    int('Access level', { choices: [10, 20, 30, 40, 50] }),
    'Roles of the users who see the message: 10 Guest, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner',
  ),
  target_path: text('Path of the pages that show the message; * matches any text', { placeholder: 'path' }),
};

const { theme, broadcast_type } = settings;

const broadcast = {
  id: int('Broadcast message id'),
  ...settings,
  active: bool('Currently shown'),
};

const open = { anonymous: true } as const;
const writing = { role: 'administrator', offering: 'self-managed' } as const;

const endpoint = inArea('broadcasts', {
  noun: 'broadcast message',
  fields: broadcast,
  columns: ['id', 'active', { path: 'broadcast_type', label: 'TYPE' }, 'starts_at', 'ends_at', 'message'],
  sample: '62',
});

const calls = {
  list: endpoint('GET broadcast_messages', {
    access: open,
    examples: {
      'Print all messages with their audience as CSV':
        '--all --fields id,active,message,target_access_levels,target_path --csv',
    },
  }),
  get: endpoint('GET broadcast_messages/:id', {
    access: open,
    examples: { 'Print only the active state for a script': '61 --fields active -o tsv --no-header' },
  }),
  create: endpoint('POST broadcast_messages', {
    access: writing,
    takes: {
      message: { ...settings.message, required: true },
      starts_at: datetime('Start time; default: now'),
      ends_at: datetime('End time; default: one hour from now'),
      ...omit(settings, 'message', 'starts_at', 'ends_at'),
      broadcast_type: { ...broadcast_type, default: 'banner' },
      theme: { ...theme, default: 'indigo' },
    },
    examples: {
      'Schedule a red banner for users with a role that allows pushes':
        '--message "Maintenance tonight" --starts-at 2030-06-01T18:00:00Z --ends-at 2030-06-01T22:00:00Z --theme red --target-access-levels 30,40,50',
    },
  }),
  update: endpoint('PUT broadcast_messages/:id', {
    access: writing,
    doc: 'Omitted fields keep their values.',
    takes: settings,
    examples: {
      'Change the text and theme, and allow users to dismiss the message':
        '61 --message "All is well again" --theme green --dismissable',
    },
  }),
  delete: endpoint('DELETE broadcast_messages/:id', { access: writing }),
};

export const broadcasts = resource({
  kind: 'broadcasts',
  calls: [calls],
  identity: [['message', 'starts_at']],
});

export default area(
  Object.values(calls),
  'Broadcast messages are shown on the pages of the instance. Reading requires no token. Other commands require an administrator.',
);
