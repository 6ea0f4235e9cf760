import { logo } from '../../git/rocket.ts';
import type { Seeder } from '../../seed/seeder.ts';
import type { Upload } from './handlers.ts';

const notes = Buffer.from('Fuel on Monday.\nLaunch on Tuesday.\n');

/** An image and a text file of acme/rocket. */
export const uploads: Seeder = (world) => {
  const table = world.table<Upload>('uploads');
  table.insert({
    project_id: 100,
    id: 71,
    user_id: 4,
    secret: '0123456789abcdef0123456789abcdef',
    filename: 'rocket.png',
    size: logo.length,
    created_at: '2026-02-11T10:00:00.000Z',
    content: { base64: logo.toString('base64') },
  });
  table.insert({
    project_id: 100,
    id: 72,
    user_id: 3,
    secret: 'fedcba9876543210fedcba9876543210',
    filename: 'notes.txt',
    size: notes.length,
    created_at: '2026-02-18T15:30:00.000Z',
    content: { base64: notes.toString('base64') },
  });
};
