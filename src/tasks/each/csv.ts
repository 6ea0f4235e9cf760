/** Comma-separated values (RFC 4180). */
import { usage } from '../../errors.ts';

/** A cell, quoted or not, and what ends it. */
const cellPattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y;

/**
 * Read records. Lines without any character are skipped.
 * @throws Failure `usage` with the line, for text after a quoted cell and for an open quote
 */
export function parseCsv(text: string, name: string): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  let isAfterComma = false;
  while (at < text.length || isAfterComma) {
    cellPattern.lastIndex = at;
    const found = cellPattern.exec(text);
    if (!found) throw usage(`${name}, line ${lineAt(text, at)}: a quote is not closed, or text follows it`);
    const [all, quoted, bare = '', end] = found;
    at += all.length;
    record.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    isAfterComma = end === ',';
    if (isAfterComma) continue;
    if (record.length > 1 || record[0] !== '' || quoted !== undefined) records.push(record);
    record = [];
  }
  return records;
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
