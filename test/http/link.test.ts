import { describe, expect, it } from 'vitest';
import { linkTo, nextLink, parseLink } from '../../src/http/policy/link.ts';

const base = 'https://host.example/api/v4/projects/7/jobs?page=1';

const at = (path: string) => `https://host.example${path}`;

// Expectations from RFC 8288 section 3 and appendix B.
describe('parseLink', () => {
  it.each<[why: string, values: string[], rel: string, target: string | undefined]>([
    ['unquoted rel', [`<${at('/a')}>;rel=next`], 'next', at('/a')],
    ['rel is case-insensitive', [`<${at('/a')}>; REL="Next"`], 'next', at('/a')],
    ['part of a relation type does not match', [`<${at('/a')}>; rel="nextish"`], 'next', undefined],
    ['the first rel wins', [`<${at('/a')}>; rel=prev; rel=next`], 'next', undefined],
    ['escape inside rel', [`<${at('/a')}>; rel="n\\ext"`], 'next', at('/a')],
    ['parameter without value', [`<${at('/a')}>; hidden; rel=next`], 'next', at('/a')],
    ['white space everywhere', [` \t<${at('/a')}>\t ; \trel \t=\t "next" \t`], 'next', at('/a')],
    ['relative path', ['<jobs?page=2>; rel=next'], 'next', at('/api/v4/projects/7/jobs?page=2')],
    ['query only', ['<?page=2>; rel=next'], 'next', at('/api/v4/projects/7/jobs?page=2')],
    ['empty reference is the document', ['<>; rel=next'], 'next', base],
    ['the first of two', [`<${at('/a')}>; rel=next, <${at('/b')}>; rel=next`], 'next', at('/a')],
    ['empty elements of the list', [`, ,<${at('/a')}>; rel=next,,`], 'next', at('/a')],
    ['trailing semicolon', [`<${at('/a')}>; rel=next;`], 'next', at('/a')],
    ['malformed text before', [`rubbish; a="<,", <${at('/a')}>; rel=next`], 'next', at('/a')],
    ['unclosed angle bracket', [`<${at('/b')}; rel=next, <${at('/a')}>; rel=next`], 'next', at('/a')],
    ['no target', ['rel=next'], 'next', undefined],
    ['invalid target is unchanged', ['<http://[>; rel=next'], 'next', 'http://['],
    ['empty header', [''], 'next', undefined],
  ])('%s', (_, values, rel, target) => {
    expect(linkTo(parseLink(values, base), rel)).toBe(target);
  });

  it('finds the next page in the headers', () => {
    const headers = [['link', `<${at('/a')}>; rel=next`]] as const;
    expect(nextLink(headers, base)).toBe(at('/a'));
    expect(nextLink([], base)).toBeUndefined();
  });

  it.each([
    ['of another resource', '/api/v4/other', undefined],
    ['of this page', '', at('/a')],
    ['of this page, absolute', base, at('/a')],
    ['of the same list without its query', new URL(base).pathname, at('/a')],
    ['that is not a URL', 'http://[', undefined],
  ])('handles a link with an anchor %s', (_, anchor, next) => {
    expect(nextLink([['link', `<${at('/a')}>; rel=next; anchor="${anchor}"`]], base)).toBe(next);
  });
});
