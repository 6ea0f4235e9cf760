import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { attempt, errorCode } from './errno.ts';
import { platform } from './system/platform.ts';

/** Name the machine, its start and the container, in which a process id is unique. @returns undefined if they are unknown */
export function processNamespace(): string | undefined {
  if (platform !== 'linux') return hostname();
  return attempt(() => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  });
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
  return attempt(() => /^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) ?? false;
}

/** The group of this process, the foreground group of its terminal, and the number of the terminal, which is `0` without one. Undefined on systems without /proc. */
export const terminalGroups = () =>
  attempt(() => {
    const stat = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /s, '');
    const [, , own, , terminal, foreground] = stat.split(' ');
    return { own, foreground, terminal };
  });

/** Whether the terminal belongs to this process group. After `bg`, the shell has it. Known on Linux only. */
export function isForeground(): boolean {
  const groups = terminalGroups();
  return !groups || groups.terminal === '0' || groups.own === groups.foreground;
}
