import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/errors.ts';
import { checkDestination, dispositionName, download } from '../../src/http/body/download.ts';
import { multipartBody } from '../../src/http/body/multipart.ts';
import type { Header, Reply } from '../../src/http/transport.ts';
import { collect } from '../../src/support/bytes.ts';
import { safeFileName } from '../../src/support/system/file-name.ts';
import { failureOf } from '../support/failures.ts';
import { folderWith } from '../support/folders.ts';

let folder: string;

beforeEach(async () => {
  folder = await folderWith();
});

const content = Buffer.from('The complete file.\n');

const sha256 = createHash('sha256').update(content).digest('hex');

function reply(
  headers: Header[] = [],
  body: AsyncIterable<Uint8Array> = Readable.from([content.subarray(0, 5), content.subarray(5)]),
): Reply & { discarded: boolean } {
  const one = {
    status: 200,
    headers,
    body,
    url: 'https://host.example/api/v4/projects/7/uploads/0123/logo%20small.png?x=1',
    discarded: false,
    discard: async () => {
      one.discarded = true;
    },
  };
  return one;
}

describe('download', () => {
  it('writes one file', async () => {
    const path = join(folder, 'a.txt');
    const sum = ['x-anyvendor-content-sha256', sha256.toUpperCase()] as const;
    const headers: Header[] = [['content-length', String(content.length)], sum];
    const saved = await download(reply(headers), { path, force: false });
    expect(saved).toEqual({ path, bytes: content.length });
    expect(await readFile(path)).toEqual(content);
    expect(await readdir(folder)).toEqual(['a.txt']);
  });

  it.each<[why: string, headers: Header[]]>([
    ['shorter than its Content-Length', [['content-length', '1000']]],
    ['longer than its Content-Length', [['content-length', '3']]],
    ['with another SHA-256', [['x-anyvendor-content-sha256', '0'.repeat(64)]]],
  ])('rejects a body %s and leaves no file', async (_, headers) => {
    const failure = await failureOf(download(reply(headers), { path: join(folder, 'a.txt'), force: false }));
    expect(failure.kind).toBe('server_error');
    expect(await readdir(folder)).toEqual([]);
  });

  it('ignores the length of an encoded body', async () => {
    const headers: Header[] = Object.entries({ 'content-length': '3', 'content-encoding': 'gzip' });
    const saved = await download(reply(headers), { path: join(folder, 'a.txt'), force: false });
    expect(saved.bytes).toBe(content.length);
  });

  it('keeps the old file if the download is interrupted', async () => {
    const path = join(folder, 'a.txt');
    await writeFile(path, 'old');
    const broken = new Failure('network', 'reset');
    const body = async function* () {
      yield content;
      throw broken;
    };
    expect(await failureOf(download(reply([], body()), { path, force: true }))).toBe(broken);
    expect(await readFile(path, 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['a.txt']);
  });

  it('overwrites only with force, and keeps the file mode', async () => {
    const path = join(folder, 'a.txt');
    await writeFile(path, 'old');
    await chmod(path, 0o640);
    const one = reply();
    const failure = await failureOf(download(one, { path, force: false }));
    expect(failure).toMatchObject({ kind: 'internal', hints: ['use --force to overwrite it'] });
    expect(one.discarded).toBe(true);
    expect(await failureOf(checkDestination(path, false))).toMatchObject({ kind: 'internal' });
    expect(await readFile(path, 'utf8')).toBe('old');
    await download(reply(), { path, force: true });
    expect(await readFile(path)).toEqual(content);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
  });

  it('keeps a file created in the meantime', async () => {
    const path = join(folder, 'a.txt');
    const body = async function* () {
      yield content;
      await writeFile(path, 'faster');
    };
    const failure = await failureOf(download(reply([], body()), { path, force: false }));
    expect(failure.message).toContain('already exists');
    expect(await readFile(path, 'utf8')).toBe('faster');
    expect(await readdir(folder)).toEqual(['a.txt']);
  });

  it('replaces the target of a symbolic link only with force, and creates none for a broken one', async () => {
    const real = join(folder, 'real.txt');
    const path = join(folder, 'link.txt');
    await writeFile(real, 'old');
    await symlink('real.txt', path);
    await failureOf(download(reply(), { path, force: false }));
    await download(reply(), { path, force: true });
    expect(await readlink(path)).toBe('real.txt');
    expect(await readFile(real)).toEqual(content);
    const broken = join(folder, 'broken.txt');
    await symlink(join(folder, 'nowhere', 'x'), broken);
    expect((await failureOf(download(reply(), { path: broken, force: false }))).kind).toBe('internal');
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });

  it.each<[headers: Header[], name: string]>([
    [[['content-disposition', 'attachment; filename="b.txt"']], 'b.txt'],
    [[['content-disposition', 'attachment; filename="../../etc/passwd"']], 'passwd'],
    [[['content-disposition', 'attachment; filename="..\\\\..\\\\boot.ini"']], 'boot.ini'],
    [[['content-disposition', 'attachment; filename=".."']], 'logo small.png'],
    [[['content-disposition', 'attachment; filename=".bashrc"']], '_bashrc'],
    [[['content-disposition', "attachment; filename=x; filename*=UTF-8''na%C3%AFve%2F..%2Fz.txt"]], 'z.txt'],
    [[['x-anyvendor-file-name', 'key.rb']], 'key.rb'],
    [[], 'logo small.png'],
  ])('names a file in a folder: %j -> %s', async (headers, name) => {
    const saved = await download(reply(headers), { path: folder, force: false });
    expect(saved.path).toBe(join(folder, name));
    expect(await readdir(folder)).toEqual([name]);
  });

  it.each<[why: string, path: () => string]>([
    ['a missing folder', () => join(folder, 'none', 'a.txt')],
    ['a missing folder with a trailing slash', () => `${join(folder, 'none')}/`],
    ['a file in place of a folder', () => join(folder, 'file', 'a.txt')],
    ['a name that is too long', () => join(folder, 'x'.repeat(300))],
  ])('rejects %s', async (_, path) => {
    await writeFile(join(folder, 'file'), '');
    expect((await failureOf(checkDestination(path(), false))).kind).toBe('internal');
    expect((await failureOf(download(reply(), { path: path(), force: true }))).kind).toBe('internal');
  });

  it('rejects a folder in place of a file, even with force', async () => {
    await mkdir(join(folder, 'b.txt'));
    const headers: Header[] = [['content-disposition', 'attachment; filename="b.txt"']];
    const failure = await failureOf(download(reply(headers), { path: folder, force: true }));
    expect(failure.message).toContain('is a folder');
  });

  it.skipIf(process.platform !== 'linux')('keeps a pipe and a link to a device without force', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await symlink('/dev/null', join(folder, 'link'));
    for (const name of ['pipe', 'link']) {
      const failure = await failureOf(checkDestination(join(folder, name), false));
      expect(failure.message).toContain('already exists');
    }
  });

  it.skipIf(process.platform !== 'linux')('appends to an open file of the process', async () => {
    const file = join(folder, 'out');
    await writeFile(file, 'earlier,');
    const handle = await open(file, 'a');
    const path = `/dev/fd/${handle.fd}`;
    await download(reply(), { path, force: false });
    await handle.close();
    expect(await readFile(file, 'utf8')).toBe(`earlier,${content}`);
  });

  it.skipIf(process.platform !== 'linux')('writes to a device and reports a full one', async () => {
    const saved = await download(reply(), { path: '/dev/null', force: false });
    expect(saved).toEqual({ path: '/dev/null', bytes: content.length });
    const failure = await failureOf(download(reply(), { path: '/dev/full', force: false }));
    expect(failure).toMatchObject({ kind: 'internal', message: 'cannot write /dev/full: the disk is full' });
  });
});

describe('safeFileName', () => {
  it.each([
    ['a.txt', 'a.txt'],
    ['C:\\dir\\a.txt', 'a.txt'],
    ['/etc/evil', 'evil'],
    ['..', undefined],
    ['...', undefined],
    ['', undefined],
    ['.gitignore', '_gitignore'],
    ['a\u0000b\u001b[31m.txt', 'ab[31m.txt'],
    ['gpj.\u202Eexe', 'gpj.exe'],
    ['a:b?.txt', 'a_b_.txt'],
    ['CON', '_CON'],
    ['console.log', 'console.log'],
    ['a. . ', 'a'],
    ['.\u00a0.', undefined],
    ['a\u3000.', 'a'],
  ])('%j -> %j', (name, safe) => {
    expect(safeFileName(name)).toBe(safe);
  });

  it('keeps the extension of a long name', () => {
    expect(safeFileName(`${'é'.repeat(300)}.tar.gz`)).toMatch(/^é+\.gz$/);
  });
});

describe('dispositionName', () => {
  const nameOf = (value: string) => dispositionName([['content-disposition', value]]);

  it.each([
    ['attachment; filename="a;b, \\"c\\".txt"', 'a;b, _c_.txt'],
    ['attachment;filename = a.txt ; filename=b.txt', 'a.txt'],
    ['attachment; filename="a.txt', 'a.txt'],
    ["attachment; x; =; filename*=UTF-8''%C3%A9.txt; filename=e.txt", 'é.txt'],
    ['attachment; filename="', undefined],
    ['attachment', undefined],
    ['inline; filename=plain.txt', 'plain.txt'],
    ['attachment; FILENAME="x;y.txt"; other=1', 'x;y.txt'],
    ["attachment; filename*=iso-8859-1'en'%A3.txt", '£.txt'],
    ["attachment; filename*=klingon''x; filename=y.txt", 'y.txt'],
    [Buffer.from('attachment; filename="ü.txt"').toString('latin1'), 'ü.txt'],
  ])('%s', (value, name) => expect(nameOf(value)).toBe(name));

  // A quadratic parser would exceed the time limit of a test.
  const long = 250_000;
  it.each([
    ['unclosed quotes', ';a="\\"'.repeat(long / 5)],
    ['parameters without a value', ';a '.repeat(long / 3)],
    ['white space', `; ${' '.repeat(long)}`],
    ['one long name', `;${'a'.repeat(long)}`],
    ['dots', `; filename=a${'.'.repeat(long)}b`],
    ['backslashes', `; filename="${'\\'.repeat(long)}`],
  ])('parses %s in linear time', (_, value) => {
    expect(Buffer.byteLength(nameOf(`attachment${value}`) ?? '')).toBeLessThanOrEqual(255);
  });
});

describe('multipartBody', () => {
  async function bytes(body: ReturnType<typeof multipartBody>['body']): Promise<Buffer> {
    if (!('open' in body)) throw new Error('a stream was expected');
    return collect(body.open());
  }

  const lengthOf = (body: ReturnType<typeof multipartBody>['body']) =>
    'open' in body ? body.length : undefined;

  it('is parsed by another implementation and has the stated length', async () => {
    const file = join(folder, 'up.bin');
    await writeFile(file, content);
    const { contentType, body } = multipartBody([
      { name: 'title', value: 'ü\r\n--x' },
      { name: 'a[b][]', value: '' },
      { name: 'file', value: { file, filename: 'say "hi"\r\n.bin' } },
    ]);
    const sent = await bytes(body);
    expect(lengthOf(body)).toBe(sent.length);
    expect(await bytes(body)).toEqual(sent);
    expect(sent.toString()).toContain('filename="say %22hi%22%0D%0A.bin"');
    const headers = { 'content-type': contentType };
    const form = await new Response(new Uint8Array(sent), { headers }).formData();
    expect(form.get('title')).toBe('ü\r\n--x');
    expect(form.get('a[b][]')).toBe('');
    expect(Buffer.from(await (form.get('file') as File).arrayBuffer())).toEqual(content);
  });

  it('has no length without the length of a part, and can be read once', async () => {
    const { body } = multipartBody([
      { name: 'file', value: { file: '-', filename: 'in.txt', stream: () => Readable.from([content]) } },
    ]);
    expect(lengthOf(body)).toBeUndefined();
    expect((await bytes(body)).includes(content)).toBe(true);
    expect(body).toMatchObject({ once: true });
  });

  it.each([
    ['missing', /no such file/],
    ['.', /is a folder/],
  ])('rejects %s before anything is sent', (name, message) => {
    const build = () => multipartBody([{ name: 'file', value: { file: join(folder, name), filename: 'x' } }]);
    expect(build).toThrow(Failure);
    expect(build).toThrow(message);
  });
});
