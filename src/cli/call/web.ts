/** `--web`: print and open the web page of an object. */

import type { Env } from '../../config/paths.ts';
import { Failure, usage } from '../../errors.ts';
import type { Body } from '../../spec/result.ts';
import { collect } from '../../support/bytes.ts';
import { isRecord } from '../../support/record.ts';
import { platform } from '../../support/system/platform.ts';
import { parseUrl } from '../../support/url.ts';
import { parseJsonText } from '../request/response.ts';
import type { Session } from '../session/model.ts';

/** @throws Failure `usage` for flags that select another output */
export function checkWeb({ options, settings: { output } }: Session): void {
  const others = Object.entries({
    '--fields': options.fields,
    '--jq': options.jq,
    '--watch': options.watch,
    '--all-fields': options.allFields,
    [`${output.from} ${output.value}`]: output.source === 'flag' || undefined,
  });
  const other = others.find(([, value]) => value !== undefined);
  if (other) throw usage(`--web and ${other[0]} cannot be used together`, '--web prints only the URL');
}

export async function printPage(session: Session, body: Body): Promise<void> {
  const { context, notes, terminal } = session;
  const value = await parseJsonText((await collect(body)).toString('utf8'));
  const url = pageUrl(isRecord(value) ? value['web_url'] : undefined);
  // `href` contains only printable ASCII characters.
  context.stdout.write(`${url.href}\n`);
  if (terminal.screen) notes.say(await openUrl(session, url.href));
}

/** @throws Failure `server_error` unless the text is the URL of a web page */
function pageUrl(text: unknown): URL {
  const url = typeof text === 'string' ? parseUrl(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
    throw new Failure('server_error', 'the response has no http or https URL of a web page');
  return url;
}

/** Open a page of the service in the browser. @returns the outcome as a sentence */
export async function openUrl({ context: { env }, root }: Session, text: string): Promise<string> {
  const { href, hostname } = pageUrl(text);
  const own = new URL(root()).hostname;
  if (hostname !== own) return `Not opened: the page is not on ${own}.`;
  for (const start of browserPrograms(href, env, platform))
    if (await startProgram(start, env)) return 'Opened in the browser.';
  return 'No browser found. Open the URL yourself.';
}

/** Milliseconds in which a program that finds no browser fails. A browser itself may run until it is closed. */
const failsWithin = 1000;

type Start = readonly [program: string, args: readonly string[]];

/** The programs to try, in order. BROWSER has several, separated by colons, and `%s` means the URL; on Windows, it is a path. */
export function browserPrograms(url: string, env: Env, system: NodeJS.Platform): Start[] {
  const own = env['BROWSER'];
  if (own && system === 'win32') return [[own, [url]]];
  if (own)
    return own.split(':').flatMap((entry): Start[] => {
      const [program, ...args] = entry.trim().split(/\s+/);
      const filled = args.map((arg) => arg.replaceAll('%s', url));
      return program ? [[program, entry.includes('%s') ? filled : [...args, url]]] : [];
    });
  if (system === 'darwin') return [['open', [url]]];
  if (system === 'win32') return [['rundll32', ['url.dll,FileProtocolHandler', url]]];
  // Without a display, these programs would start a text browser over the output of svc.
  const hasDisplay = ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some((name) => env[name]);
  return hasDisplay ? ['xdg-open', 'wslview', 'x-www-browser'].map((program): Start => [program, [url]]) : [];
}

async function startProgram([program, args]: Start, env: Env): Promise<boolean> {
  const { spawn } = await import('node:child_process');
  const visible = Object.fromEntries(Object.entries(env).filter(([name]) => !/TOKEN/i.test(name)));
  const child = spawn(program, args, { detached: true, stdio: 'ignore', windowsHide: true, env: visible });
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, failsWithin, true);
    const end = (isOpen: boolean) => {
      clearTimeout(timer);
      resolve(isOpen);
    };
    child.once('error', () => end(false)).once('exit', (code) => end(code === 0));
    child.unref();
  });
}
