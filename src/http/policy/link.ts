/** The `Link` header, RFC 8288: the only way from one page to the next. */
import { type Header, headerValues } from '../transport.ts';

export interface Link {
  /** Absolute; as it was written where it is no URL. */
  readonly target: string;
  /** Relation types, in lower case. */
  readonly rel: readonly string[];
  /** The other parameters, by name in lower case; the first of a name counts. */
  readonly params: Readonly<Record<string, string>>;
}

const isSpace = (char: string) => char === ' ' || char === '\t';
const endsValue = (char: string) => char === ';' || char === ',';
/** Lenient: servers put almost anything into a token. */
const endsToken = (char: string) => char === '=' || endsValue(char) || isSpace(char);

/**
 * Parse `Link` header lines. Commas and semicolons inside `<>` and inside quotes belong to the text; what can't be
 * understood is skipped up to the next comma, and the links around it still count.
 * @param values the header's values, one for each line in which it came
 * @param base the URL that answered: relative targets are resolved against it
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
    // A `<` that was never closed: the link begins at the next one.
    const start = this.#text.lastIndexOf('<', end);
    const reference = this.#text.slice(start + 1, end).trim();
    this.#at = end + 1;
    const params = this.#params();
    const { rel = '', ...others } = params;
    const types = rel
      .toLowerCase()
      .split(/[ \t]+/)
      .filter((type) => type !== '');
    const target = URL.canParse(reference, this.#base) ? new URL(reference, this.#base).href : reference;
    return { target, rel: types, params: others };
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
    while (this.#at < this.#text.length && !endsToken(this.#text[this.#at]!)) this.#at++;
    return this.#text.slice(from, this.#at);
  }

  /** Up to a semicolon or a comma, without the space around. */
  #unquoted(): string {
    const from = this.#at;
    while (this.#at < this.#text.length && !endsValue(this.#text[this.#at]!)) this.#at++;
    return this.#text.slice(from, this.#at).trimEnd();
  }

  #quoted(): string {
    let value = '';
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]!;
      if (char === '"') {
        this.#at++;
        return value;
      }
      if (char === '\\' && this.#at + 1 < this.#text.length) this.#at++;
      value += this.#text[this.#at];
    }
    return value;
  }

  #skipSpace(): void {
    while (this.#at < this.#text.length && isSpace(this.#text[this.#at]!)) this.#at++;
  }

  /** To the start of the next link; a comma inside quotes or `<>` does not count. */
  #skipPastComma(): void {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!;
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
 * Where the next page is, by a reply's headers; undefined on the last page. A link with an `anchor` is of another resource, unless
 * that is this list (RFC 8288 section 3.2), whichever page of it.
 */
export function nextLink(headers: readonly Header[], url: string): string | undefined {
  const links = parseLink(headerValues(headers, 'link'), url);
  const own = links.filter(({ params: { anchor } }) => anchor === undefined || leadsTo(anchor, url));
  return linkTo(own, 'next');
}

function leadsTo(reference: string, url: string): boolean {
  if (!URL.canParse(reference, url)) return false;
  const [there, here] = [new URL(reference, url), new URL(url)];
  return there.origin === here.origin && there.pathname === here.pathname;
}
