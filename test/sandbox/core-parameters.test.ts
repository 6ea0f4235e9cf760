import { describe, expect, test } from 'vitest';
import { HttpError } from '../../src/sandbox/core/http-error.ts';
import { Upload } from '../../src/sandbox/core/request/params.ts';
import { readSlots } from '../../src/sandbox/core/request/read-params.ts';
import { int } from '../../src/spec/field.ts';
import { openTestSandbox } from './ask.ts';
import { json, read } from './read.ts';

describe('equivalent encodings (section 4.0)', () => {
  const values = {
    title: 'a b',
    count: 3,
    open: true,
    labels: ['x', 'y'],
    not: { author_id: 4 },
    files: [
      { path: 'a', action: 'create' },
      { path: 'b', action: 'move' },
    ],
  };
  const form =
    'title=a+b&count=3&open=true&labels[]=x&labels[]=y&not[author_id]=4&files[0][path]=a&files[0][action]=create&files[1][path]=b&files[1][action]=move';

  test.each([
    ['JSON', '', JSON.stringify(values), 'application/json'],
    ['JSON with a vendor media type', '', JSON.stringify(values), 'application/vnd.api+json'],
    ['the query', `?${form}`],
    ['a form', '', form, 'application/x-www-form-urlencoded'],
    ['a form with encoded brackets', '', new URLSearchParams([...new URLSearchParams(form)])],
  ])('accepts %s', async (_, query, body?: string | URLSearchParams, type?: string) => {
    expect(await read(query, body, type)).toEqual(values);
  });
  test('accepts multipart, and ignores unknown parts', async () => {
    const data = new FormData();
    for (const [name, value] of new URLSearchParams(form)) data.append(name, value);
    data.append('extra', new Blob(['?']), 'extra.bin');
    expect(await read('', data)).toEqual(values);
  });
  test('merges query and body, and prefers the body', async () =>
    expect(await read('?title=q&count=3', '{"title":"b"}', 'application/json')).toEqual({
      title: 'b',
      count: 3,
    }));
  test('accepts a single value for a list', async () => {
    expect(await json({ labels: 'x' })).toEqual({ labels: ['x'] });
    expect(await read('?labels=x')).toEqual({ labels: ['x'] });
    expect(await json({ files: { path: 'a' } })).toEqual({ files: [{ path: 'a' }] });
  });
  test('ignores unknown parameters', async () =>
    expect(await json({ other: 1, __proto__: { title: 'x' }, constructor: 2 })).toEqual({}));
  test('accepts a surrogate pair in JSON', async () =>
    expect(await read('', '{"title":"\\ud83d\\ude80"}', 'application/json')).toEqual({ title: '🚀' }));
  test('converts a null boolean to false, and keeps other nulls', async () =>
    expect(await json({ open: null, title: null, labels: null })).toEqual({
      open: false,
      title: null,
      labels: [],
    }));
  test('accepts a file in a form', async () => {
    const data = new FormData();
    data.append('logo', new Blob(['PNG'], { type: 'image/png' }), 'ö.png');
    const { logo } = (await read('', data)) as { logo: Upload };
    expect(logo).toBeInstanceOf(Upload);
    expect([logo.filename, logo.type, Buffer.from(logo.bytes).toString()]).toEqual([
      'ö.png',
      'image/png',
      'PNG',
    ]);
  });
  test('accepts an empty body of any media type', async () => {
    expect(await read('?count=3', '', 'application/json')).toEqual({ count: 3 });
    expect(await read('?count=3', '{}', 'application/json')).toEqual({ count: 3 });
  });
});

describe('validation', () => {
  const tooLong = ['is too long (maximum is 5 characters)'];
  const notWhole = ['must be a whole number'];
  const wrong = ['x', 'y'].map((action) => ({ path: 'a', action }));

  test.each([
    ['{"title":', 'application/json'],
    ['[1]', 'application/json'],
    ['"text"', 'application/json'],
    ['\xff\xfe', 'application/json'],
    ['title=\xff', 'application/x-www-form-urlencoded'],
    ['title=%E9', 'application/x-www-form-urlencoded'],
    [
      '--x\r\nContent-Disposition: form-data; name="title"\r\n\r\n\xff\r\n--x--\r\n',
      'multipart/form-data; boundary=x',
    ],
    [
      '--x\r\nContent-Disposition: form-data; name="title"; filename="a"\r\n\r\n\xff\r\n--x--\r\n',
      'multipart/form-data; boundary=x',
    ],
    ['<a/>', 'text/xml'],
    ['--nothing', 'multipart/form-data; boundary=x'],
    ['--x', 'multipart/form-data'],
    [`{"not":${'['.repeat(1001)}${']'.repeat(1001)}}`, 'application/json'],
    ['{"title":"\\ud83d"}', 'application/json'],
    ['{"labels":["x"],"\\uDE80":1}', 'application/json'],
  ])('rejects the body %j as %s', async (body, type) => {
    expect(await read('', Buffer.from(body, 'latin1'), type)).toEqual([
      400,
      { message: expect.stringMatching(/^400 \(Bad request\) \w/) },
    ]);
  });

  test.each([
    ['a missing attribute', { files: [{ action: 'move' }] }, '400 (Bad request) "files[0][path]" not given'],
    ['a long text', { title: 'longer' }, { title: tooLong }],
    ['a long text in a hash', { files: [{ path: 'longer' }] }, { files: { path: tooLong } }],
    ['a wrong choice', { kind: 'medium' }, { kind: ['must be one of big, small'] }],
    ['text for a number', { count: 'x' }, { count: ['must be a whole number'] }],
    ['a number out of bounds', { count: 0 }, { count: ['must be 1 or more'] }],
    ['a word for a boolean', { open: 'yes' }, { open: ['must be true or false'] }],
    ['a digit as text for a boolean', { open: '1' }, { open: ['must be true or false'] }],
    ['a number for a boolean', { open: 0 }, { open: ['must be true or false'] }],
    ['text for a time', { since: 'soon' }, { since: [expect.stringContaining('date and time')] }],
    ['a wrong item of a list', { ids: [1, 'x'] }, { ids: ['must be a whole number'] }],
    ['text for a hash', { not: 'x' }, { not: ['must be a hash'] }],
    ['a wrong key of a hash', { not: { author_id: 'x' } }, { not: { author_id: notWhole } }],
    ['a wrong choice, two hashes', { files: wrong }, { files: { action: ['must be one of create, move'] } }],
    ['a hash for text', { title: {} }, { title: ['must be text'] }],
    ['text for a file', { logo: 'x' }, { logo: ['must be a file'] }],
    ['two properties', { count: 'x', kind: 'y' }, { count: notWhole, kind: ['must be one of big, small'] }],
  ])('reports %s by property', async (_, given, message) => {
    expect(await json(given)).toEqual([400, { message }]);
  });

  test('rejects numbers out of range, a name used for both list and hash, and bytes that are not UTF-8', async () => {
    for (const title of ['%E9', 'a%20%e2%82', '%C0%80'])
      expect(await read(`?title=${title}`)).toMatchObject([400, {}]);
    expect(await read('?title=%EF%BF%BD+%zz')).toEqual({ title: '\ufffd %zz' });
    expect(await read('?count=99999999999999999999')).toEqual([
      400,
      { message: { count: ['is out of range'] } },
    ]);
    expect(await read('?labels[]=a&labels[b]=c')).toEqual([400, { message: { labels: ['is invalid'] } }]);
  });
});

test('path parameters are converted to numbers', () => {
  expect(readSlots({ id: int('Id') }, { id: '12' }).number('id')).toBe(12);
  expect(readSlots({ id: int('Id') }, { id: '-1' }).number('id')).toBe(-1);
  for (const id of ['x', '--1', '1.5', '1e3']) {
    expect(() => readSlots({ id: int('Id') }, { id })).toThrow(HttpError);
  }
});

test('any text is stored unchanged, and accepted in a path', async () => {
  const { ask } = await openTestSandbox();
  for (const value of ['é + % / ? # & = "', '\u0000\u0007', '名前 🚀', '  x  ', 'a\r\nb']) {
    const scope = encodeURIComponent(value);
    const json = { key: 'ODD', value, environment_scope: value };
    expect((await ask('POST /projects/acme%2Frocket/variables', { json })).body.value).toBe(value);
    const at = `/projects/acme%2Frocket/variables/ODD?filter[environment_scope]=${scope}`;
    expect((await ask(`GET ${at}`)).body).toMatchObject({ value, environment_scope: value });
    expect((await ask(`DELETE ${at}`)).status).toBe(204);
  }
});
