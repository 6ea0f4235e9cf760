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

const isSpace = (char: string) => char === ' ' || char === '\t';
const endsValue = (char: string) => char === ';' || char === ',';
/** Lenient: servers put almost any character into a token. */
const endsToken = (char: string) => char === '=' || endsValue(char) || isSpace(char);

/**
 * Parse `Link` header lines. Malformed links are skipped up to the next comma.
 * @param values values of the header, one for each line
 * @param base the URL of the response, to resolve relative targets
 */
export function parseLink(values: readonly string[], base: string): Link[] {
  return values.flatMap((value) => new Scanner(value, base).links());
}

/** The target of the first link with this relation type. */
export function linkTo(links: readonly Link[], rel: string): string | undefined {
  return links.find((link) => link.rel.includes(rel))?.target;
}

class Scanner {
  readonly #text: string;
  readonly #base: string;
  #at = 0;

  constructor(text: string, base: string) {
    this.#text = text;
    this.#base = base;
  }

  links(): Link[] {
    const found: Link[] = [];
    while (this.#at < this.#text.length) {
      this.#skipSpace();
      const link = this.#text[this.#at] === '<' ? this.#link() : undefined;
      if (link) found.push(link);
      this.#skipPastComma();
    }
    return found;
  }

  /** `<target>` and its parameters. */
  #link(): Link | undefined {
    const end = this.#text.indexOf('>', this.#at);
    if (end < 0) {
      this.#at = this.#text.length;
      return undefined;
    }
    // After an unclosed `<`, the link starts at the last `<`.
    const start = this.#text.lastIndexOf('<', end);
    const reference = this.#text.slice(start + 1, end).trim();
    this.#at = end + 1;
    const params = this.#params();
    const { rel = '', ...others } = params;
    const types = rel
      .toLowerCase()
      .split(/[ \t]+/)
      .filter((type) => type !== '');
    const base = this.#base;
    return {
      // Most pages link to several others, of which one is read.
      get target() {
        return parseUrl(reference, base)?.href ?? reference;
      },
      rel: types,
      params: others,
    };
  }

  #params(): Record<string, string> {
    const params: Record<string, string> = Object.create(null);
    for (;;) {
      this.#skipSpace();
      if (this.#text[this.#at] !== ';') return params;
      this.#at++;
      this.#skipSpace();
      const name = this.#token().toLowerCase();
      this.#skipSpace();
      let value = '';
      if (this.#text[this.#at] === '=') {
        this.#at++;
        this.#skipSpace();
        value = this.#text[this.#at] === '"' ? this.#quoted() : this.#unquoted();
      }
      if (name !== '') params[name] ??= value;
    }
  }

  #token(): string {
    const from = this.#at;
    this.#skipUntil(endsToken);
    return this.#text.slice(from, this.#at);
  }

  /** Text up to a semicolon or a comma, trimmed. */
  #unquoted(): string {
    const from = this.#at;
    this.#skipUntil(endsValue);
    return this.#text.slice(from, this.#at).trimEnd();
  }

  #quoted(): string {
    let value = '';
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text.charAt(this.#at);
      if (char === '"') {
        this.#at++;
        return value;
      }
      if (char === '\\' && this.#at + 1 < this.#text.length) this.#at++;
      value += this.#text.charAt(this.#at);
    }
    return value;
  }

  #skipSpace(): void {
    this.#skipUntil((char) => !isSpace(char));
  }

  #skipUntil(isEnd: (char: string) => boolean): void {
    while (this.#at < this.#text.length && !isEnd(this.#text.charAt(this.#at))) this.#at++;
  }

  /** Advance to the next link. Commas inside quotes or `<>` are ignored. */
  #skipPastComma(): void {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at];
      if (char === ',') {
        this.#at++;
        return;
      }
      if (char === '"') this.#quoted();
      else if (char === '<') {
        const end = this.#text.indexOf('>', this.#at);
        this.#at = end < 0 ? this.#text.length : end + 1;
      } else this.#at++;
    }
  }
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
