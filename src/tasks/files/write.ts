/** `files create` and `files update`: content that is not text is sent in Base64. */
import { NotText } from '../../errors.ts';
import type { Task } from '../context.ts';

const write: Task = async (task) => {
  const { line } = task;
  try {
    return await task.run(await task.prepare());
  } catch (error) {
    // Thrown while the values are read, so nothing was sent.
    if (!(error instanceof NotText)) throw error;
    if (line.fields['encoding'] === 'text')
      throw error.withHints('omit --encoding or use --encoding base64, and svc encodes the bytes');
    const content = Buffer.from(error.bytes).toString('base64');
    const fields = { ...line.fields, content, encoding: 'base64' };
    return task.run(await task.prepare({ line: { ...line, fields } }));
  }
};

export const runners = { create: write, update: write };
