/** The tasks of `svc files`. */
import { editCommand } from './edit.ts';

export { runners } from './write.ts';
export const commands = [editCommand];
