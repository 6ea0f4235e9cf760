import type { Overrides } from '../../config/settings.ts';
import type { Context } from '../context.ts';
import { group } from './group.ts';

export async function openForCommand(_context: Context): Promise<Overrides & { close: () => Promise<void> }> {
  throw new Error('not yet');
}
export default group('sandbox', []);
