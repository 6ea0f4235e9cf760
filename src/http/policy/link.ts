/** Parse the `Link` header (RFC 8288), which links a page of a list to the next one. */
import { parseUrl } from '../../support/url.ts';
import { type Header, headerValues } from '../transport.ts';

export interface Link {
  /** Absolute; unchanged if it is not a valid URL. */
  readonly target: string;
  /** Relation types, in lower case. */
  readonly rel: readonly string[];
  /** The other parameters, by name in lower case. The first of several with the same name is used. */
  readonly params: Readonly<Record<string, string>>;
}

/** Text in quotes, with its content. An unclosed quote extends to the end of the text. */
const quoted = String.raw`"((?:[^"\\]|\\.)*)(?:"|\\?$)`;
/** `; name=value`. Lenient: servers put almost any character into a name and a value. */
const parameter = new RegExp(
  String.raw`[ \t]*;[ \t]*([^=;, \t]*)[ \t]*(?:=[ \t]*(?:${quoted}|([^;,]*)))?`,
  'sy',
);
/** `<target>`, which starts at the last `<` if one is not closed. */
const start = /[ \t]*<([^>]*)>/y;
/** Text up to the next link. Commas inside quotes or `<>` do not separate links. */
const rest = new RegExp(`(?:${quoted}|<[^>]*(?:>|$)|[^",<])*,?`, 'sy');

/**
 * Parse `Link` header lines. Malformed links are skipped up to the next comma.
 * @param values values of the header, one for each line
 * @param base the URL of the response, to resolve relative targets
 */
export function parseLink(values: readonly string[], base: string): Link[] {
  return values.flatMap((value) => linksOf(value, base));
}

function linksOf(text: string, base: string): Link[] {
  const links: Link[] = [];
  let at = 0;
  /** Match at the current position, and advance behind the match. */
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    at += match?.[0].length ?? 0;
    return match;
  };
  while (at < text.length) {
    const [, reference] = take(start) ?? [];
    if (reference !== undefined) {
      const params: Record<string, string> = Object.create(null);
      for (let found = take(parameter); found; found = take(parameter)) {
        const [, name = '', quotedValue, value = ''] = found;
        if (name !== '')
          params[name.toLowerCase()] ??= quotedValue?.replace(/\\(.)/gs, '$1') ?? value.trimEnd();
      }
      links.push(linkOf(reference.slice(reference.lastIndexOf('<') + 1).trim(), params, base));
    }
    take(rest);
  }
  return links;
}

function linkOf(reference: string, { rel = '', ...params }: Record<string, string>, base: string): Link {
  return {
    // Most pages link to several others, of which one is read.
    get target() {
      return parseUrl(reference, base)?.href ?? reference;
    },
    rel: rel
      .toLowerCase()
      .split(/[ \t]+/)
      .filter(Boolean),
    params,
  };
}

/** The target of the first link with this relation type. */
export function linkTo(links: readonly Link[], rel: string): string | undefined {
  return links.find((link) => link.rel.includes(rel))?.target;
}

/**
 * Return the URL of the next page; undefined on the last page. A link with an `anchor` counts only if the anchor is a page of the
 * same list (RFC 8288 section 3.2).
 */
export function nextLink(headers: readonly Header[], url: string): string | undefined {
  const links = parseLink(headerValues(headers, 'link'), url);
  const own = links.filter(({ params: { anchor } }) => anchor === undefined || isSameList(anchor, url));
  return linkTo(own, 'next');
}

function isSameList(reference: string, url: string): boolean {
  const anchor = parseUrl(reference, url);
  const list = new URL(url);
  return anchor?.origin === list.origin && anchor.pathname === list.pathname;
}
