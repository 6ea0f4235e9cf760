/**
 * Rows as lines of text, for the journal of a state and for snapshots.
 *
 *     ["<CRC-32 of the rest>",{"version":3,"sequences":{"variables":12},"created_at":"…"}]
 *     ["<CRC-32 of the rest>",[["variables",{"id":12,…}],["variables",11]]]
 *
 * A change has the name of a table, and a row or the id of a deleted row. A line is applied completely or not at all.
 */
import { crc32 } from 'node:zlib';
import { Failure } from '../../errors.ts';
import { attempt } from '../../support/errno.ts';
import { completeLines } from '../../support/journal.ts';
import { isRecord } from '../../support/record.ts';
import { commandLine } from '../../support/shell.ts';
import type { Change, Store } from './store.ts';

const version = 3;

function line(value: unknown): string {
  const payload = JSON.stringify(value);
  return `["${crc32(payload).toString(16).padStart(8, '0')}",${payload}]\n`;
}

export const changesLine = (changes: readonly Change[]): string => line(changes);

export function* allLines(store: Store): Generator<string> {
  yield line({ version, sequences: store.sequences(), created_at: store.time() });
  let text = '';
  for (const change of store.rows()) {
    text += line([change]);
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  yield text;
}

const parse = (bytes: Uint8Array): unknown =>
  attempt(() => {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const payload = text.slice(12, -1);
    const checksum = crc32(payload).toString(16).padStart(8, '0');
    return text === `["${checksum}",${payload}]` ? JSON.parse(payload) : undefined;
  });

function isChange(value: unknown): value is Change {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [table, row] = value;
  return typeof table === 'string' && Number.isSafeInteger(isRecord(row) ? row['id'] : row);
}

/** Apply a line. @returns whether it is undamaged @throws Failure `internal` for another version */
function apply(value: unknown, isFirst: boolean, store: Store, dir: string): boolean {
  if (Array.isArray(value) && value.every(isChange)) {
    for (const change of value) store.apply(change);
    return !isFirst;
  }
  if (!isRecord(value)) return false;
  if (value['version'] !== version)
    throw new Failure('internal', 'the state of the sandbox was written by another version of svc', {
      hint: ['use that version', deleteHint(dir)],
    });
  for (const [name, last] of Object.entries(isRecord(value['sequences']) ? value['sequences'] : {}))
    if (typeof last === 'number') store.table(name).startAfter(last);
  return true;
}

/** How to delete the state in a folder. A hint without the folder would delete another state. */
export const deleteHint = (dir: string): string =>
  `or delete the state: ${commandLine(['svc', 'sandbox', 'reset', '--data', dir])}`;

/** Apply all undamaged lines to a store. A last line without its end is damaged. @throws Failure `internal` for another version */
export function applyLines(bytes: Buffer, store: Store, dir: string) {
  const { lines, end } = completeLines(bytes);
  const isCut = end < bytes.length || end === 0;
  const all = isCut ? [...lines, bytes.subarray(end, -1)] : lines;
  const intact = all.filter((one, index) => apply(parse(one), index === 0, store, dir)).length;
  return { lines: all.length, damaged: Math.max(isCut ? 1 : 0, all.length - intact), end };
}

/** Return when a snapshot was saved (ISO 8601), by the clock of the sandbox. */
export function savedAt(bytes: Buffer): string {
  const header = parse(bytes.subarray(0, bytes.indexOf(10)));
  return isRecord(header) ? String(header['created_at']) : '';
}
