/** Journals of tasks: files in the state folder to which lines of JSON are appended. */
import fs from 'node:fs';
import { join } from 'node:path';
import { stateFile } from '../../../config/paths.ts';
import { Failure, unusable, usage } from '../../../errors.ts';
import { replaceFile } from '../../../support/atomic-write.ts';
import { jsonText } from '../../../support/json.ts';
import { readOwn } from '../../../support/own-files.ts';
import { appendFlags } from '../../../support/system/user-file.ts';
import { acquireLock, LockTimeout } from '../../../support/waiting/lock.ts';
import type { Journal } from '../../../tasks/context.ts';
import type { Context } from '../../context.ts';

/** Milliseconds to wait for another process. */
const lockWait = 500;

/** Parse the lines, and whether the last one is complete: a process that was killed can leave a part of a line. */
function parseLines(text: string, file: string): { entries: unknown[]; isWhole: boolean } {
  const lines = text.split('\n');
  const rest = lines.pop();
  const entries = lines.map((line, index): unknown => {
    try {
      return JSON.parse(line);
    } catch (cause) {
      throw new Failure('internal', `cannot read ${file}: invalid JSON at line ${index + 1}`, {
        cause,
        hint: 'move the file away to start again without its records',
      });
    }
  });
  return { entries, isWhole: rest === '' };
}

function readLines(file: string) {
  if (!fs.existsSync(file)) return { entries: [], isWhole: true };
  return parseLines(readOwn(file).toString('utf8'), file);
}

const textOf = (entries: readonly unknown[]): string =>
  entries.map((entry) => `${jsonText(entry)}\n`).join('');

export async function openJournal(context: Pick<Context, 'env'>, name: string): Promise<Journal> {
  const file = stateFile(context.env, join('journals', `${name}.ndjson`));
  const guarded = async <T>(act: () => T | Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw unusable(`the journal ${file}`, error);
    }
  };
  const lock = await guarded(() => acquireLock(`${file}.lock`, lockWait)).catch((error: unknown) => {
    const { cause } = error as Failure;
    if (!(cause instanceof LockTimeout)) throw error;
    throw usage(
      `the same command is running already (process ${cause.owner})`,
      'wait until it ends, or stop it',
    );
  });
  let handle: fs.promises.FileHandle | undefined;
  const closeFile = async () => {
    await handle?.close();
    handle = undefined;
  };
  const write = (entries: readonly unknown[]) =>
    guarded(async () => {
      await closeFile();
      await replaceFile(file, (draft) => draft.writeFile(textOf(entries)), { durable: true });
    });
  try {
    const { entries, isWhole } = await guarded(() => readLines(file));
    // Nothing can be appended after a part of a line.
    if (!isWhole) await write(entries);
    return {
      entries,
      append: (entry) =>
        guarded(async () => {
          handle ??= await fs.promises.open(file, appendFlags(file), 0o600);
          await handle.appendFile(textOf([entry]));
          await handle.datasync();
        }),
      replace: write,
      remove: () =>
        guarded(async () => {
          await closeFile();
          fs.rmSync(file, { force: true });
        }),
      close() {
        void handle?.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
