/** `__proto__` is an ordinary key in requests and output. */
import { parse as parseCsv } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { ask, bodyOf } from './service.ts';

// The number beyond 2^53 requires the exact parser.
const row = '{"id":9007199254740993,"__proto__":{"a":1},"b":{"__proto__":"x"}}';
const list = ['jobs', 'list', '-p', '1'];

test.each([
  ['json', `[\n${row}\n]\n`],
  ['ndjson', `${row}\n`],
])('%s prints the key', async (format, text) => {
  expect((await ask([...list, '-o', format], { body: `[${row}]` })).out).toBe(text);
});

test.each([row, row.replace('9007199254740993', '1')])(
  'csv, yaml and tables print the key: %s',
  async (body) => {
    const answer = { body: `[${body}]` };
    const fields = ['--fields', '__proto__,b.__proto__'];
    const { out: csv } = await ask([...list, '--csv', ...fields], answer);
    expect(parseCsv(csv)).toEqual([
      ['__proto__', 'b.__proto__'],
      ['{"a":1}', 'x'],
    ]);
    const { out: yaml } = await ask([...list, '-o', 'yaml'], answer);
    expect(parseYaml(yaml, { mapAsMap: true })[0].get('__proto__').get('a')).toBe(1);
    expect((await ask([...list, ...fields], answer)).out).toContain('{"a":1}');
    expect((await ask([...list, ...fields, '--json'], answer)).out).toBe(
      '[\n{"__proto__":{"a":1},"b":{"__proto__":"x"}}\n]\n',
    );
    expect((await ask(['license', 'get', '2'], { body })).out).toContain('__proto__');
  },
);

test('--data sends the key at every level, and a hash flag too', async () => {
  const data = '{"__proto__":1,"files":[{"__proto__":2,"file_path":"a","content":"b"}],"title":"t"}';
  const argv = ['snippets', 'create', '-p', '1', '--data', data];
  expect(bodyOf((await ask(argv)).requests[0])).toEqual(JSON.parse(data));
  expect(JSON.parse((await ask([...argv, '--dry-run'])).out).body).toEqual(JSON.parse(data));
  const { requests } = await ask(['users', 'list', '--custom-attributes', '__proto__=bug'], { body: '[]' });
  expect(requests.map(({ url }) => decodeURIComponent(url)).join()).toContain(
    'custom_attributes[__proto__]=bug',
  );
});

test('svc api sends the key', async () => {
  const { requests } = await ask(['api', 'POST', 'x', '-f', '__proto__=1', '-f', 'a[__proto__]=2']);
  expect(bodyOf(requests[0])).toEqual(JSON.parse('{"__proto__":"1","a":{"__proto__":"2"}}'));
});
