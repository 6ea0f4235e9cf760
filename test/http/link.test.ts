import { expect, it } from 'vitest';
import { linkTo, nextLink } from '../../src/http/policy/pages.ts';

const base = 'https://host.example/api/v4/projects/7/jobs?page=1';

const at = (path: string) => `https://host.example${path}`;

// Expectations from RFC 8288 section 3 and appendix B.
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
  const headers = values.map((value) => ['link', value] as const);
  expect(linkTo({ headers, url: base }, rel)).toBe(target);
});

it('finds the next page in the headers', () => {
  const headers = [['link', `<${at('/a')}>; rel=next`]] as const;
  expect(nextLink({ headers, url: base })).toBe(at('/a'));
  expect(nextLink({ headers: [], url: base })).toBeUndefined();
});
