/** The `Link` header (RFC 8288), which links a page of a list to the next one. */
import { parseUrl } from '../../support/url.ts';
import { headerParameters, headerValues, type Reply } from '../transport.ts';

/** `<target>` and its parameters. Lenient: servers put almost any character into a name and a value. */
const links = /<([^<>]*)>((?:[ \t]*;[^=;,]*(?:=[ \t]*(?:"(?:[^"\\]|\\.)*"?|[^";,][^;,]*)?)?)*)/gs;

/** Return the target of the first link with this relation type: absolute, and unchanged if it is not a valid URL. */
export function linkTo({ headers, url }: Pick<Reply, 'headers' | 'url'>, type: string): string | undefined {
  const all = headerValues(headers, 'link').flatMap((value) => [...value.matchAll(links)]);
  const found = all.find(([, , parameters = '']) =>
    headerParameters(parameters)
      .get('rel')
      ?.toLowerCase()
      .split(/[ \t]+/)
      .includes(type),
  );
  const target = found?.[1]?.trim();
  return target === undefined ? undefined : (parseUrl(target, url)?.href ?? target);
}

/** Return the URL of the next page; undefined on the last page. */
export const nextLink = (reply: Pick<Reply, 'headers' | 'url'>): string | undefined => linkTo(reply, 'next');
