/** The tasks of `svc variables`. */
import { execCommand } from './exec.ts';
import { transfers } from './transfer.ts';

export { present, runners } from './set.ts';
export const commands = [...transfers, execCommand];
