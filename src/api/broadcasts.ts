import { area, crud } from '../spec/compose.ts';
import { bool, choice, datetime, int, list, omit, text } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';

const settings = {
  message: text('Text of the message, in Markdown'),
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

const writing = { role: 'administrator', offering: 'self-managed' } as const;

const calls = crud('broadcast_messages/:id', broadcast, {
  section: '4.9',
  noun: 'broadcast message',
  slots: { id: int('Broadcast message id, as shown by `broadcasts list`') },
  columns: ['id', 'active', { path: 'broadcast_type', label: 'TYPE' }, 'starts_at', 'ends_at', 'message'],
  list: {
    access: { anonymous: true },
    examples: [
      { does: 'List past, current and scheduled messages', run: 'broadcasts list' },
      {
        does: 'Print all messages with their audience as CSV',
        run: 'broadcasts list --all --fields id,active,message,target_access_levels,target_path --csv',
      },
    ],
  },
  get: {
    access: { anonymous: true },
    examples: [
      { does: 'Show one message', run: 'broadcasts get 61' },
      {
        does: 'Print only the active state for a script',
        run: 'broadcasts get 61 --fields active -o tsv --no-header',
      },
    ],
  },
  create: {
    access: writing,
    takes: {
      message: { ...settings.message, required: true },
      starts_at: datetime('Start time; default: now'),
      ends_at: datetime('End time; default: one hour from now'),
      ...omit(settings, 'message', 'starts_at', 'ends_at'),
      broadcast_type: { ...broadcast_type, default: 'banner' },
      theme: { ...theme, default: 'indigo' },
    },
    examples: [
      {
        does: 'Show a banner for the next hour',
        run: 'broadcasts create --message "Restart at noon, back in five minutes"',
      },
      {
        does: 'Schedule a red banner for users with a role that allows pushes',
        run: 'broadcasts create --message "Maintenance tonight" --starts-at 2030-06-01T18:00:00Z --ends-at 2030-06-01T22:00:00Z --theme red --target-access-levels 30,40,50',
      },
    ],
  },
  update: {
    access: writing,
    doc: 'Omitted fields keep their values.',
    takes: settings,
    examples: [
      { does: 'Extend a message', run: 'broadcasts update 61 --ends-at 2030-01-01T00:00:00Z' },
      {
        does: 'Change the text and theme, and allow users to dismiss the message',
        run: 'broadcasts update 61 --message "All is well again" --theme green --dismissable',
      },
    ],
  },
  delete: {
    access: writing,
    examples: [
      { does: 'Delete without confirmation', run: 'broadcasts delete 62 --yes' },
      { does: 'Print the request without sending it', run: 'broadcasts delete 61 --dry-run' },
    ],
  },
});

export const broadcasts = resource({
  kind: 'broadcasts',
  noun: 'broadcast message',
  calls: [calls],
  identity: [['message', 'starts_at']],
});

export default area(
  Object.values(calls),
  'Broadcast messages are shown on the pages of the instance. Reading requires no token. Other commands require an administrator.',
);
