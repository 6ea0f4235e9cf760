/** Helpers that run the JSON scanner. */
import { boundary, Scanner } from '../../src/output/json/scanner.ts';

interface Found {
  readonly rows: readonly string[];
  readonly inexact: readonly boolean[];
  readonly multiline: readonly boolean[];
}

/** Return the rows that a scanner finds in a text in chunks of one size. */
export function scan(shape: 'list' | 'value', text: string | Uint8Array, size = 65_536): Found {
  const bytes = Buffer.from(text);
  const scanner = new Scanner(shape);
  const rows: string[] = [];
  const inexact: boolean[] = [];
  const multiline: boolean[] = [];
  let start = -1;
  const end = (at: number): void => {
    rows.push(bytes.toString('utf8', start, at));
    inexact.push(scanner.inexact);
    multiline.push(scanner.multiline);
  };
  for (let at = 0; at < bytes.length; at += size) {
    scanner.feed(bytes.subarray(at, at + size));
    for (let found = scanner.next(); found !== boundary.more; found = scanner.next()) {
      if (found === boundary.start) start = at + scanner.at;
      else end(at + scanner.at);
    }
  }
  if (scanner.finish()) end(bytes.length);
  return { rows, inexact, multiline };
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
