// The forms in which a user gives a project or a group.
import { describe, expect, test } from 'vitest';
import { scopePath } from '../../src/config/scope.ts';
import { Failure } from '../../src/errors.ts';

const base = 'https://host.example';
const of = (value: string, baseUrl: string | undefined = base, scope: 'project' | 'group' = 'project') =>
  scopePath(scope, { value, from: '--project' }, baseUrl);

describe('a project is normalized', () => {
  test.each([
    ['42', '42'],
    ['acme/rocket', 'acme/rocket'],
    ['/acme/rocket', 'acme/rocket'],
    ['acme/rocket/', 'acme/rocket'],
    ['acme%2Frocket', 'acme/rocket'],
    ['acme%2fdeep%2Frocket', 'acme/deep/rocket'],
    ['https://host.example/acme/rocket', 'acme/rocket'],
    ['https://host.example/acme/rocket/', 'acme/rocket'],
    ['https://host.example/acme/rocket.git', 'acme/rocket'],
    ['https://host.example/acme/deep/rocket/-/jobs/5?x=1#L2', 'acme/deep/rocket'],
    ['https://host.example/acme/rocket/-', 'acme/rocket'],
    ['https://HOST.example/acme/rocket', 'acme/rocket'],
    ['http://host.example/acme/rocket', 'acme/rocket'],
    ['https://me:secret9@host.example/acme/rocket.git', 'acme/rocket'],
    // Neither is a form of a path: the service decides.
    ['100%', '100%'],
    ['acme%2Frocket%zz', 'acme%2Frocket%zz'],
    ['', ''],
  ])('%j -> %j', (given, expected) => {
    expect(of(given)).toBe(expected);
  });

  test.each([
    ['https://host.example/code/acme/rocket', 'https://host.example/code', 'acme/rocket'],
    ['https://host.example/code/acme/rocket', 'https://host.example/code/api/v4/', 'acme/rocket'],
    ['https://host.example:8443/acme/rocket', 'host.example:8443', 'acme/rocket'],
    ['https://host.example/acme/rocket', undefined, 'acme/rocket'],
  ])('%s below the base URL %s', (given, baseUrl, expected) => {
    expect(scopePath('project', { value: given, from: 'SVC_PROJECT' }, baseUrl)).toBe(expected);
  });

  test.each([
    ['https://host.example/acme', 'acme'],
    ['https://host.example/groups/acme/-/settings', 'acme'],
    ['https://host.example/groups/acme/deep', 'acme/deep'],
    ['acme%2Fdeep', 'acme/deep'],
  ])('group %s -> %s', (given, expected) => {
    expect(of(given, base, 'group')).toBe(expected);
  });

  test.each([
    ['https://other.example/acme/rocket', /^SVC_PROJECT: other\.example is not the host/],
    ['https://host.example:8443/acme/rocket', /^SVC_PROJECT: host\.example:8443 is not the host/],
    ['https://me:secret9@other.example/acme/rocket', /^SVC_PROJECT: other\.example is not the host/],
    ['https://host.example/', /^SVC_PROJECT: the URL names no project/],
    ['https://host.example/-/profile', /^SVC_PROJECT: the URL names no project/],
    ['https://', /^SVC_PROJECT: invalid URL/],
  ])('%s is a usage error', (given, says) => {
    const run = () => scopePath('project', { value: given, from: 'SVC_PROJECT' }, base);
    expect(run).toThrow(Failure);
    expect(run).toThrow(says);
    expect(run).not.toThrow(/secret9/);
  });

  test('a URL outside the path of the base URL is a usage error', () => {
    expect(() => of('https://host.example/acme/rocket', 'https://host.example/code')).toThrow(/not below/);
  });
});
