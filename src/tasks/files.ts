/** `files create` and `update`: bytes that are no text are sent in base64, without being asked to. */
import type { Runner } from '../cli/overrides.ts';

const write: Runner = async (leaf, line, context) => {
  const [{ invoke }, { NotText }] = await Promise.all([
    import('../cli/call/call.ts'),
    import('../cli/argv/values.ts'),
  ]);
  try {
    return await invoke(leaf, line, context);
  } catch (error) {
    // Thrown while the command line is read: nothing was sent yet.
    if (!(error instanceof NotText)) throw error;
    if (line.fields['encoding'] === 'text') {
      throw error.withHints('leave --encoding out, or say base64: then svc encodes the bytes');
    }
    const content = Buffer.from(error.bytes).toString('base64');
    return invoke(leaf, { ...line, fields: { ...line.fields, content, encoding: 'base64' } }, context);
  }
};

export const runners = { create: write, update: write };
