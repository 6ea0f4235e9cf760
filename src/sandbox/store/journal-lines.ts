/**
 * The lines of a journal, which contains the tables.
 *
 *     ["<CRC-32 of the rest>",{"version":2,"sequences":{"variables":12}}]
 *     ["<CRC-32 of the rest>",[["variables",{"id":12,…}],["variables",11]]]
 *
 * A change has the name of a table, and a row or the id of a deleted row. A line is applied completely or not at all.
 */
import { crc32 } from 'node:zlib';
import { Failure } from '../../errors.ts';
import { isRecord } from '../../support/record.ts';
import type { AnyRow } from '../core/rows.ts';
import type { Change, Store } from './store.ts';

export const version = 2;
export const mib = 1024 * 1024;
/** Characters per line. Only a single larger change exceeds it. */
export const lineLimit = 64 * mib;

export const line = (payload: string): string =>
  `["${crc32(payload).toString(16).padStart(8, '0')}",${payload}]\n`;

/** Parse a line without its line feed; undefined if it is damaged. */
function payloadOf(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const payload = text.slice(12, -1);
    return `${text}\n` === line(payload) ? JSON.parse(payload) : undefined;
  } catch {
    return undefined;
  }
}

interface Encoded {
  readonly lines: string[];
  /** Rows that exceed the length of a string, as `<table> <id>`. */
  readonly tooLarge: string[];
}

/** @param limit characters per line */
export function encode(changes: Iterable<Change>, limit: number): Encoded {
  const lines: string[] = [];
  const tooLarge: string[] = [];
  let texts: string[] = [];
  let length = 0;
  const end = () => {
    if (texts.length > 0) lines.push(line(`[${texts.join(',')}]`));
    texts = [];
    length = 0;
  };
  for (const change of changes) {
    const text = toJson(change);
    if (text === undefined) {
      const [table, row] = change;
      tooLarge.push(`${table} ${typeof row === 'number' ? row : row.id}`);
      continue;
    }
    if (length + text.length > limit) end();
    texts.push(text);
    length += text.length;
  }
  end();
  return { lines, tooLarge };
}

function toJson(change: Change): string | undefined {
  try {
    return JSON.stringify(change);
  } catch (error) {
    // Strings are limited to 512 MB, and escaping makes a value up to six times longer.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

interface Replayed {
  readonly lines: number;
  readonly damaged: number;
  /** Bytes up to the end of the last complete line. */
  readonly end: number;
}

export const isRow = (value: unknown): value is AnyRow =>
  isRecord(value) && Number.isSafeInteger(value['id']);

function isChange(value: unknown): value is Change {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [table, row] = value;
  return typeof table === 'string' && (Number.isSafeInteger(row) || isRow(row));
}

export function applySequences(sequences: unknown, store: Store): void {
  if (!isRecord(sequences)) return;
  for (const [name, last] of Object.entries(sequences)) {
    if (typeof last === 'number') store.table(name).startAfter(last);
  }
}

/** @throws Failure `internal` for the format of a newer version */
export function replay(bytes: Uint8Array, store: Store): Replayed {
  let lines = 0;
  let damaged = 0;
  let end = 0;
  const apply = (payload: unknown) => {
    const isHeader = isRecord(payload);
    const isSave = Array.isArray(payload) && payload.every(isChange);
    if (isSave) for (const change of payload) store.apply(change);
    else if (isHeader) applyHeader(payload, store);
    if (lines === 0 ? !isHeader : !isHeader && !isSave) damaged++;
    lines++;
  };
  for (let next = bytes.indexOf(10); next >= 0; next = bytes.indexOf(10, end)) {
    apply(payloadOf(bytes.subarray(end, next)));
    end = next + 1;
  }
  // A crash can only cut off the last line, and never the first, because a new journal is renamed into place.
  const last = payloadOf(bytes.subarray(end, -1));
  if (last !== undefined) {
    apply(last);
    damaged++;
  } else if (lines === 0) apply(undefined);
  return { lines, damaged, end };
}

function applyHeader(header: Readonly<Record<string, unknown>>, store: Store): void {
  if (header['version'] !== version)
    throw new Failure('internal', 'the state of the sandbox was written by another version of svc', {
      hint: ['use that version', 'or run "svc sandbox reset" to delete the state'],
    });
  applySequences(header['sequences'], store);
}
