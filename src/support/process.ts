import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isatty } from 'node:tty';
import { errorCode } from './errno.ts';
import { platform } from './system/platform.ts';

/** Name the machine, its start and the container, in which a process id is unique. @returns undefined if they are unknown */
export function processNamespace(): string | undefined {
  if (platform !== 'linux') return hostname();
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}

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

/** Whether the terminal belongs to this process group. After `bg`, the shell has it. Known on Linux only: `-1` is no terminal. */
function terminalOwner(): 'own' | 'other' | 'none' | undefined {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /s, '');
    const [, , own, , , foreground] = stat.split(' ');
    return foreground === '-1' ? 'none' : own === foreground ? 'own' : 'other';
  } catch {
    return undefined;
  }
}

/** Whether no other process group has the terminal. */
export const isForeground = (): boolean => terminalOwner() !== 'other';

/** Whether a signal is one that a terminal sends to all programs in its foreground, and this process is in the foreground. */
export function isFromTerminal(signal: NodeJS.Signals): boolean {
  if (platform === 'win32') return true;
  if (signal !== 'SIGINT' && signal !== 'SIGQUIT') return false;
  const owner = terminalOwner();
  if (owner !== undefined) return owner === 'own';
  return [0, 1, 2].some((fd) => isatty(fd));
}
