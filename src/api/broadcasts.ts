import { area, crud } from '../spec/compose.ts';
import { bool, choice, datetime, int, list, omit, text } from '../spec/field.ts';

const settings = {
  message: text('What is said; Markdown'),
  starts_at: datetime('When it appears'),
  ends_at: datetime('When it goes away'),
  broadcast_type: choice(
    ['banner', 'notification'],
    'A banner on top of each page, or a notification in its corner',
  ),
  dismissable: bool('Users may close it'),
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
    'Colors of a banner; notifications have none',
  ),
  font: text('Color of the text, in hexadecimal: #ffffff', { placeholder: 'color' }),
  target_access_levels: list(
    int('Access level', { choices: [10, 20, 30, 40, 50] }),
    'Only for users with these roles: 10 Guest, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner',
  ),
  target_path: text('Only on pages whose path matches; * matches any text', { placeholder: 'path' }),
};

const { theme, broadcast_type } = settings;

const broadcast = {
  id: int('Broadcast message id'),
  ...settings,
  active: bool('Shown at this moment'),
};

const writing = { role: 'administrator', offering: 'self-managed' } as const;

export default area(
  crud('broadcast_messages/:id', broadcast, {
    section: '4.9',
    noun: 'broadcast message',
    slot: int('Broadcast message id, as `broadcasts list` shows it'),
    columns: ['id', 'active', 'broadcast_type', 'starts_at', 'ends_at', 'message'],
    list: {
      access: { anonymous: true },
      examples: [
        { does: 'What is, was and will be announced', run: 'broadcasts list' },
        {
          does: 'As CSV, with whom each is for',
          run: 'broadcasts list --all --fields id,active,message,target_access_levels,target_path --csv',
        },
      ],
    },
    get: {
      access: { anonymous: true },
      examples: [
        { does: 'One message', run: 'broadcasts get 61' },
        { does: 'Whether it is shown now', run: 'broadcasts get 61 --fields active -o tsv --no-header' },
      ],
    },
    create: {
      access: writing,
      takes: {
        message: { ...settings.message, required: true },
        starts_at: datetime('When it appears; now where left out'),
        ends_at: datetime('When it goes away; in an hour where left out'),
        ...omit(settings, 'message', 'starts_at', 'ends_at'),
        broadcast_type: { ...broadcast_type, default: 'banner' },
        theme: { ...theme, default: 'indigo' },
      },
      examples: [
        {
          does: 'A banner for the next hour',
          run: 'broadcasts create --message "Restart at noon, back in five minutes"',
        },
        {
          does: 'For a time to come, in red, for those who may push',
          run: 'broadcasts create --message "Maintenance tonight" --starts-at 2030-06-01T18:00:00Z --ends-at 2030-06-01T22:00:00Z --theme red --target-access-levels 30,40,50',
        },
      ],
    },
    update: {
      access: writing,
      doc: 'What is left out stays as it is.',
      takes: settings,
      examples: [
        { does: 'Show it for longer', run: 'broadcasts update 61 --ends-at 2030-01-01T00:00:00Z' },
        {
          does: 'Other words, and users may close it',
          run: 'broadcasts update 61 --message "All is well again" --theme green --dismissable',
        },
      ],
    },
    delete: {
      access: writing,
      examples: [
        { does: 'Without being asked', run: 'broadcasts delete 62 --yes' },
        { does: 'See the request before it is made', run: 'broadcasts delete 61 --dry-run' },
      ],
    },
  }),
  'Messages that every user of the instance sees. Reading needs no token; the rest is for administrators.',
);
