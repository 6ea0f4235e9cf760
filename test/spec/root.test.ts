import { expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { apiRoot } from '../../src/spec/request.ts';

it.each([
  ['https://host.example', 'https://host.example/api/v4'],
  ['host.example', 'https://host.example/api/v4'],
  ['localhost:8443', 'https://localhost:8443/api/v4'],
  ['https://host.example/', 'https://host.example/api/v4'],
  ['https://host.example/api/v4', 'https://host.example/api/v4'],
  ['https://host.example/api/v4/', 'https://host.example/api/v4'],
  ['https://host.example/forge', 'https://host.example/forge/api/v4'],
  ['https://host.example/forge/api/v4/', 'https://host.example/forge/api/v4'],
  ['https://host.example/api/v40', 'https://host.example/api/v40/api/v4'],
  ['https://host.example/my-api/v4', 'https://host.example/my-api/v4/api/v4'],
  ['HTTPS://Host.Example', 'https://host.example/api/v4'],
  ['https://host.example:443', 'https://host.example/api/v4'],
  ['https://host.example:8443', 'https://host.example:8443/api/v4'],
  ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/api/v4'],
  ['http://[::1]:3000/x', 'http://[::1]:3000/x/api/v4'],
  ['https://bücher.example', 'https://xn--bcher-kva.example/api/v4'],
])('of %s is %s', (base, root) => {
  expect(apiRoot(base)).toBe(root);
  expect(apiRoot(root)).toBe(root);
});

it.each([
  ['', 'must be an http or https URL without user, query or fragment'],
  ['host example', 'must be an http or https URL without user, query or fragment'],
  ['/host.example', 'must be an http or https URL without user, query or fragment'],
  ['ftp://host.example', 'must be an http or https URL without user, query or fragment'],
  ['https://', 'must be an http or https URL without user, query or fragment'],
  ['https://mia@host.example', 'must be an http or https URL without user, query or fragment'],
  ['https://:hush@host.example', 'must be an http or https URL without user, query or fragment'],
  ['https://host.example?private_token=x', 'must be an http or https URL without user, query or fragment'],
  ['https://host.example/#top', 'must be an http or https URL without user, query or fragment'],
])('rejects %j', (base, message) => {
  expect(() => apiRoot(base, 'SVC_BASE_URL')).toThrow(Failure);
  expect(() => apiRoot(base, 'SVC_BASE_URL')).toThrow(`SVC_BASE_URL ${message}`);
});

it.each([
  'https://mia:hush@host.example',
  'https://host.example/?private_token=hush',
  'https://host.example/#hush',
  'ftp://mia:hush@host.example',
  'mia:hush@host.example',
  'ftp://host.example/?private_token=hush',
])('does not repeat the secret in %s', (base) => {
  expect(() => apiRoot(base)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hush') }),
  );
});
