/** Opens web pages in the browser of the user. No shell is involved, because the service chooses the URL. */
import { platform as current } from '../../support/system/platform.ts';
import type { Env } from '../context.ts';

/** Milliseconds in which a program that finds no browser fails. A browser itself may run until it is closed. */
const failsWithin = 1000;

type Start = readonly [program: string, args: readonly string[]];

/** The programs to try, in order. */
export function browserPrograms(url: string, env: Env, platform: NodeJS.Platform): Start[] {
  const own = env['BROWSER'];
  if (own) {
    // By convention, several programs are separated by colons; on Windows a colon is part of a path.
    const entries = (platform === 'win32' ? [own] : own.split(':')).filter((entry) => entry.trim() !== '');
    return entries.flatMap((entry) => startsOf(entry.trim(), url));
  }
  if (platform === 'darwin') return [['open', [url]]];
  if (platform === 'win32') return [['rundll32', ['url.dll,FileProtocolHandler', url]]];
  // Without a display, these programs would start a text browser over the output of svc.
  const hasDisplay = ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some((name) => env[name]);
  return hasDisplay ? ['xdg-open', 'wslview', 'x-www-browser'].map((program): Start => [program, [url]]) : [];
}

/** A path with spaces, or a program with arguments, in which `%s` means the URL. */
function startsOf(entry: string, url: string): Start[] {
  const [program = '', ...args] = entry.split(/\s+/);
  const filled = args.map((arg) => arg.replaceAll('%s', url));
  const withArguments: Start = [program, args.some((arg) => arg.includes('%s')) ? filled : [...args, url]];
  return args.length > 0 && !entry.includes('%s') ? [[entry, [url]], withArguments] : [withArguments];
}

/** @returns false if no program could open the page */
export async function openInBrowser(
  url: string,
  env: Env,
  platform: NodeJS.Platform = current,
): Promise<boolean> {
  for (const start of browserPrograms(url, env, platform)) if (await run(start, env)) return true;
  return false;
}

async function run([program, args]: Start, env: Env): Promise<boolean> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const visible = Object.fromEntries(Object.entries(env).filter(([name]) => !/TOKEN/i.test(name)));
  const child = spawn(program, args, { detached: true, stdio: 'ignore', windowsHide: true, env: visible });
  return new Promise((resolve) => {
    const end = (isOpen: boolean) => {
      clearTimeout(timer);
      child.unref();
      resolve(isOpen);
    };
    const timer = setTimeout(end, failsWithin, true);
    child.once('error', () => end(false));
    child.once('exit', (code) => end(code === 0));
  });
}
