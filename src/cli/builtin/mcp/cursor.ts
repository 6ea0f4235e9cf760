/** Cursors of lists and files: opaque, and bound to the server, the tool and its arguments. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { usage } from '../../../errors.ts';
import { isRecord } from '../../../support/record.ts';

/** Where a result continues. */
export interface Position {
  /** The page of the list; without it, the first. */
  readonly url?: string;
  /** Rows, or bytes of a file, before the result. */
  readonly skip: number;
}

const algorithm = 'aes-256-gcm';
const ivLength = 12;
const tagLength = 16;

/** The same text for the same arguments in any order. */
function subjectOf(tool: string, input: Readonly<Record<string, unknown>>): string {
  return JSON.stringify([tool, input], (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

export class Cursors {
  readonly #key = randomBytes(32);

  /** @param input the arguments, without the cursor */
  seal(tool: string, input: Readonly<Record<string, unknown>>, position: Position): string {
    const iv = randomBytes(ivLength);
    const cipher = createCipheriv(algorithm, this.#key, iv);
    cipher.setAAD(Buffer.from(subjectOf(tool, input)));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(position)), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** @throws Failure `usage` for any text but a cursor of this server for these arguments */
  open(tool: string, input: Readonly<Record<string, unknown>>, cursor: string): Position {
    const bytes = Buffer.from(cursor, 'base64url');
    try {
      const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, ivLength));
      decipher.setAAD(Buffer.from(subjectOf(tool, input)));
      decipher.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength));
      const text = Buffer.concat([
        decipher.update(bytes.subarray(ivLength + tagLength)),
        decipher.final(),
      ]).toString('utf8');
      return JSON.parse(text) as Position;
    } catch {
      throw usage('the cursor is not valid', [
        'use next_cursor of the previous result, with the same arguments',
        'without cursor, the list starts again',
      ]);
    }
  }
}
