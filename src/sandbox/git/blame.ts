import type { Objects } from './objects.ts';

export interface Blamed {
  readonly commitId: string;
  readonly lines: readonly string[];
}

/** Line numbers from 1, inclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Split into lines with their line feeds, as Latin-1, so that comparing invalid UTF-8 loses nothing. */
function linesOf(bytes: Uint8Array): string[] {
  return (
    Buffer.from(bytes)
      .toString('latin1')
      .match(/[^\n]*\n|[^\n]+$/g) ?? []
  );
}

const toUtf8 = (line: string): string => Buffer.from(line.replace(/\n$/, ''), 'latin1').toString('utf8');

/** Lines that a commit or its ancestors introduced. */
interface Candidate {
  readonly sha: string;
  /** Line numbers in the commit's file, and in the blamed file. */
  readonly lines: ReadonlyMap<number, number>;
}

/** Return the common lines of two versions: number in the newer one to number in the older one, from 0. */
async function commonLines(older: readonly string[], newer: readonly string[]): Promise<Map<number, number>> {
  const { diffArrays } = await import('diff');
  const pairs = new Map<number, number>();
  let [from, to] = [0, 0];
  for (const { added, removed, value } of diffArrays([...older], [...newer])) {
    if (added) to += value.length;
    else if (removed) from += value.length;
    else for (let i = 0; i < value.length; i++) pairs.set(to++, from++);
  }
  return pairs;
}

/**
 * Return the lines of a file, and the commit of each. A line belongs to the first parent that has it; a parent with the identical file
 * gets all lines. Renames are not followed.
 * @param sha a commit that contains the file
 */
async function originOfLines(objects: Objects, sha: string, path: string): Promise<[string[], string[]]> {
  const read = async (oid: string) => linesOf(await objects.blob(oid));
  const file = await objects.file(sha, path);
  const lines = file ? await read(file.oid) : [];
  const origin = new Array<string>(lines.length).fill(sha);
  const work: Candidate[] = [{ sha, lines: new Map(lines.map((_, index) => [index, index])) }];
  for (let at = work.pop(); at; at = work.pop()) {
    const here = await objects.file(at.sha, path);
    const parents: { sha: string; oid: string }[] = [];
    for (const parent of (await objects.commit(at.sha)).parent) {
      const there = await objects.file(parent, path);
      if (there) parents.push({ sha: parent, oid: there.oid });
    }
    const same = parents.find((parent) => parent.oid === here?.oid);
    if (same) {
      work.push({ sha: same.sha, lines: at.lines });
      continue;
    }
    const left = new Map(at.lines);
    const newer = here ? await read(here.oid) : [];
    for (const parent of parents) {
      const pairs = await commonLines(await read(parent.oid), newer);
      const passed = new Map<number, number>();
      for (const [line, final] of left) {
        const older = pairs.get(line);
        if (older === undefined) continue;
        passed.set(older, final);
        left.delete(line);
      }
      if (passed.size > 0) work.push({ sha: parent.sha, lines: passed });
    }
    for (const final of left.values()) origin[final] = at.sha;
  }
  return [lines.map(toUtf8), origin];
}

/** Return the consecutive lines of a file that have the same commit. */
export async function blame(objects: Objects, sha: string, path: string): Promise<Blamed[]> {
  const [lines, origin] = await originOfLines(objects, sha, path);
  const ranges: { commitId: string; lines: string[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const commitId = origin[index] ?? sha;
    const last = ranges.at(-1);
    if (last?.commitId === commitId) last.lines.push(line);
    else ranges.push({ commitId, lines: [line] });
  }
  return ranges;
}

/** Restrict a blame to a range of lines. */
export function clip(ranges: readonly Blamed[], range: Range | undefined): Blamed[] {
  if (!range) return [...ranges];
  let first = 1;
  return ranges.flatMap(({ commitId, lines }) => {
    const part = lines.slice(Math.max(0, range.start - first), Math.max(0, range.end - first + 1));
    first += lines.length;
    return part.length > 0 ? [{ commitId, lines: part }] : [];
  });
}
