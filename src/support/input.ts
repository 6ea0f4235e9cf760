import fs from 'node:fs';
import type { Readable } from 'node:stream';

/**
 * Open a file that a user named, for reading. A named pipe, such as `<(command)`, is read without Node's threads on Linux: a thread
 * that waits for a silent writer would keep the process from ending.
 * @throws the error of the system
 */
export async function openInput(file: string): Promise<Readable> {
  const isPipe = process.platform === 'linux' && (await fs.promises.stat(file)).isFIFO();
  if (!isPipe) return fs.createReadStream(file, { highWaterMark: 256 * 1024 });
  const { Socket } = process.getBuiltinModule('node:net');
  const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}
