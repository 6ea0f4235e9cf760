import fs from 'node:fs';
import type { Readable } from 'node:stream';
import { waitsForThreads } from './runtime.ts';
import { platform } from './system/platform.ts';

/**
 * Open a file for reading. On Linux a named pipe, such as `<(command)`, is read without the threads of Node: a thread that waits for
 * a silent writer would keep the process alive.
 * @throws the errors of the file system
 */
export async function openInput(file: string): Promise<Readable> {
  const isPipe = waitsForThreads && platform === 'linux' && (await fs.promises.stat(file)).isFIFO();
  if (!isPipe) return fs.createReadStream(file, { highWaterMark: 256 * 1024 });
  const { Socket } = await import('node:net');
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}
