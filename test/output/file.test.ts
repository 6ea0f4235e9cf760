import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { fileBehind, Sink, writeToFile } from '../../src/output/sink.ts';
import { sharedFolder } from '../support/folders.ts';

const folder = sharedFolder();

describe('writeToFile', () => {
  test('writes bytes and text in order', () => {
    const path = join(folder, 'out');
    const fd = openSync(path, 'w');
    writeToFile(fd, [Buffer.from('a'), 'é', '', Buffer.from('b')]);
    writeToFile(fd, []);
    writeToFile(fd, ['c\n']);
    expect(readFileSync(path, 'utf8')).toBe('aébc\n');
  });

  test('is used by a sink whose stream is a file', async () => {
    const path = join(folder, 'sink');
    const stream = Object.assign(new PassThrough(), { fd: openSync(path, 'w') });
    await new Sink(stream).write(['a', 'b']);
    expect([readFileSync(path, 'utf8'), stream.read()]).toEqual(['ab', null]);
  });

  test('throws the system error after a partial write', () => {
    let room = 3;
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const taken: string[] = [];
    const write = (): void =>
      writeToFile(1, ['abcde'], (_, piece) => {
        if (room === 0) throw full;
        taken.push(Buffer.from(piece).toString('utf8', 0, room));
        const count = room;
        room = 0;
        return count;
      });
    expect(write).toThrow(full);
    expect(taken).toEqual(['abc']);
  });
});

describe('fileBehind', () => {
  test('returns the descriptor of a file or a device, not that of a terminal, a folder or a stream in memory', () => {
    const fd = openSync(join(folder, 'plain'), 'w');
    expect(fileBehind({ fd })).toBe(fd);
    const device = openSync('/dev/null', 'w');
    expect(fileBehind({ fd: device })).toBe(device);
    expect(fileBehind({ fd, isTTY: true })).toBeUndefined();
    expect(fileBehind({ fd: openSync(folder, 'r') })).toBeUndefined();
    expect(fileBehind({ fd: null })).toBeUndefined();
    expect(fileBehind(new PassThrough())).toBeUndefined();
  });
});
