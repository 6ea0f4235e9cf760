/** `--web`: print and open the web page of an object. */

import { Failure, usage } from '../../errors.ts';
import type { Body } from '../../spec/result.ts';
import { collect } from '../../support/bytes.ts';
import { isRecord } from '../../support/record.ts';
import { parseUrl } from '../../support/url.ts';
import { parseJsonText } from '../request/response.ts';
import type { Session } from '../session/model.ts';

/** @throws Failure `usage` for flags that select another output */
export function checkWeb({ options, settings: { output } }: Session): void {
  if (options.web !== true) return;
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

/** Print the URL of the page of an object, and open it if standard output is a terminal. */
export async function printPage({ context, notes, terminal, root }: Session, body: Body): Promise<void> {
  const value = await parseJsonText((await collect(body)).toString('utf8'));
  const url = pageOf(isRecord(value) ? value['web_url'] : undefined);
  if (!url) throw new Failure('server_error', 'the response has no http or https URL of a web page');
  // `href` contains only printable ASCII characters.
  context.stdout.write(`${url.href}\n`);
  if (!terminal.screen) return;
  const { hostname } = new URL(root());
  if (url.hostname !== hostname) return notes.say(`Not opened: the page is not on ${hostname}.`);
  const { openInBrowser } = await import('../terminal/browser.ts');
  const isOpen = await openInBrowser(url.href, context.env);
  notes.say(isOpen ? 'Opened in the browser.' : 'No browser found. Open the URL yourself.');
}

function pageOf(text: unknown): URL | undefined {
  const url = typeof text === 'string' ? parseUrl(text) : undefined;
  if (!url) return undefined;
  return ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password ? url : undefined;
}
