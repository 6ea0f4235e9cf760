import { readFileSync } from 'node:fs';
import { errorCode } from './errno.ts';

/** Whether a process runs, also if it belongs to another user. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !hasEnded(pid);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** Whether a process has ended, but its parent has not noticed. Linux only. */
function hasEnded(pid: number): boolean {
  try {
    return /^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
