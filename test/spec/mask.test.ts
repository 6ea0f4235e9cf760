import { describe, expect, it } from 'vitest';
import { hash, list, object, rows, secret, text } from '../../src/spec/field.ts';
import { isSecretName, masked, maskedUrl, secretTexts } from '../../src/spec/mask.ts';
import { ExactNumber } from '../../src/support/record.ts';

describe('a secret name', () => {
  it.each([
    'PRIVATE-TOKEN',
    'private_token',
    'JOB-TOKEN',
    'job_token',
    'CI_JOB_TOKEN',
    'Authorization',
    'proxy-authorization',
    'Cookie',
    'Set-Cookie',
    'access_token',
    'token',
    'X-Service-Token',
    'password',
    'license',
    'tracker_dsn',
    'sentry_key',
  ])('is %s', (name) => expect(isSecretName(name)).toBe(true));

  it.each([
    'key',
    'name',
    'token_type',
    'licensee',
    'licenses',
    'authored_date',
    'X-Service-Event',
    'public_key',
  ])('is not %s', (name) => expect(isSecretName(name)).toBe(false));
});

describe('a URL with a password', () => {
  const url = 'https://user:pass-word@host.example/hook?a=b';
  it('is masked in values, and masked if it is repeated', () => {
    const value = { url, list: [url, 'https://user@host.example'], nested: { other: url } };
    expect(masked(value)).toEqual({
      url: '***',
      list: ['***', 'https://user@host.example'],
      nested: { other: '***' },
    });
    expect(new Set(secretTexts(value, {}))).toEqual(new Set([url, 'pass-word']));
  });
  it('is masked in a query', () => {
    expect(maskedUrl(`https://api.example/x?url=${encodeURIComponent(url)}&b=1`)).toBe(
      'https://api.example/x?url=***&b=1',
    );
  });
  it.each([
    'https://host.example/a:b@c',
    'https://host.example:80/?x=a:b@c',
    'https://user@host.example',
    'see https://user:pass@host.example',
    'a:b@c',
  ])('is not %s', (text) => expect(masked({ text })).toEqual({ text }));
});

describe('masked', () => {
  it('masks secret fields of the objects in a list', () => {
    const fields = { keys: list(object('Key', { value: secret('Value') })) };
    const value = { keys: [{ value: 'abc' }, { value: 'def', name: 'x' }] };
    expect(masked(value, fields)).toEqual({ keys: [{ value: '***' }, { value: '***', name: 'x' }] });
    expect(secretTexts(value, fields)).toEqual(['abc', 'def']);
  });

  it('masks secret fields, also in rows and hashes', () => {
    const fields = {
      value: secret('Value'),
      custom_headers: rows('Headers', { key: text('Name'), value: secret('Value') }),
      configuration: hash('Source', { url: text('URL'), access_token: secret('Token') }),
    };
    const given = {
      value: 'hush',
      key: 'KEY',
      custom_headers: [{ key: 'X-Team', value: 'hush' }, { key: 'X-Other' }],
      configuration: { url: 'https://old.example', access_token: 'hush' },
    };
    expect(masked(given, fields)).toEqual({
      value: '***',
      key: 'KEY',
      custom_headers: [{ key: 'X-Team', value: '***' }, { key: 'X-Other' }],
      configuration: { url: 'https://old.example', access_token: '***' },
    });
    expect(given.value).toBe('hush');
  });

  it('masks secret fields of each item of a list', () => {
    expect(masked([{ key: 'A', value: 'hush' }], { value: secret('Value') })).toEqual([
      { key: 'A', value: '***' },
    ]);
  });

  it.each([
    ['an object each', [{ 'X-Api-Key': 'hush' }], [{ 'X-Api-Key': '***' }]],
    ['a list in a list', [[{ 'X-Api-Key': 'hush' }]], [[{ 'X-Api-Key': '***' }]]],
    ['a name and a value', [{ name: 'X-Api-Key', value: 'hush' }], [{ name: 'X-Api-Key', value: '***' }]],
    ['a key and a value', [{ key: 'X-Api-Key', value: 'hush' }], [{ key: 'X-Api-Key', value: '***' }]],
    ['a name and values', [{ name: 'X-Api-Key', value: ['hush'] }], [{ name: 'X-Api-Key', value: '***' }]],
    ['a line of text', ['X-Api-Key: hush'], ['***']],
    ['pairs', [['X-Api-Key', 'hush']], [['***', '***']]],
  ])('masks headers that are %s', (_, request_headers, expected) => {
    expect(masked({ request_headers })).toEqual({ request_headers: expected });
    expect(masked({ url_variables: request_headers })).toEqual({ url_variables: expected });
    expect(secretTexts({ request_headers }, {}).join()).toContain('hush');
  });

  it('masks the values of variables in the payload of an event', () => {
    const payload = (value: string) => ({ object_attributes: { variables: [{ key: 'HOST', value }] } });
    expect(masked(payload('hush'))).toEqual(payload('***'));
    expect(secretTexts(payload('hush'), {})).toEqual(['hush']);
  });

  it('masks no header that never contains a secret; knows the texts of secret numbers', () => {
    const request_headers = [{ Accept: 'text/plain' }, { name: 'Accept', value: 'text/plain' }];
    expect(masked({ request_headers })).toEqual({ request_headers });
    expect(secretTexts({ request_headers }, {})).toEqual([]);
    const fields = { value: secret('Value') };
    const value = { value: 987654321012, pin: 12345678, more: [{ password: 12n }, { token: [1.5] }] };
    expect(secretTexts(value, fields)).toEqual(['987654321012', '12', '1.5']);
    expect(secretTexts({ token: new ExactNumber('1.0') }, {})).toEqual(['1.0', '1']);
  });

  it('does not mask null; leaves other values unchanged', () => {
    expect(masked({ token: null, password: '' })).toEqual({ token: null, password: '***' });
    const given = { id: 1, ok: true, none: null, list: ['token'], in: { name: 'token' } };
    expect(masked(given)).toEqual(given);
  });
});

describe('maskedUrl', () => {
  const fields = { value: secret('Value') };
  it.each([
    ['/projects/1/jobs', '/projects/1/jobs'],
    ['/job?job_token=hush', '/job?job_token=***'],
    ['/x?a=1&private_token=hush&b=2', '/x?a=1&private_token=***&b=2'],
    ['/x?private%5Ftoken=hush', '/x?private%5Ftoken=***'],
    ['/x?value=hush&key=K', '/x?value=***&key=K'],
    ['/x?configuration%5Baccess_token%5D=hush&a=1', '/x?configuration%5Baccess_token%5D=***&a=1'],
    ['/x?tokens%5B%5D%5Btoken%5D=hush', '/x?tokens%5B%5D%5Btoken%5D=***'],
    ['/x?custom_headers%5B0%5D%5Bvalue%5D=hush', '/x?custom_headers%5B0%5D%5Bvalue%5D=***'],
    ['/x?url_variables%5B%5D%5Bvalue%5D=hush', '/x?url_variables%5B%5D%5Bvalue%5D=***'],
    ['/x?filter%5Benvironment_scope%5D=prod', '/x?filter%5Benvironment_scope%5D=prod'],
    ['/x?token', '/x?token'],
    ['/x?token=', '/x?token=***'],
    ['/x?%zz=1&token=hush', '/x?%zz=1&token=***'],
    ['https://h.example/api/v4/x?token=a=b', 'https://h.example/api/v4/x?token=***'],
  ])('%s', (url, shown) => {
    expect(maskedUrl(url, fields)).toBe(shown);
  });
});
