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

/** A file in a commit: its lines, and the commit of each. */
interface Version {
  readonly oid: string;
  readonly lines: readonly string[];
  readonly origins: readonly string[];
}

/** Return the origins of new lines: those of the common lines of an older version. */
async function passed(older: Version, lines: readonly string[]): Promise<(string | undefined)[]> {
  const { diffArrays } = await import('diff');
  const origins: (string | undefined)[] = [];
  let from = 0;
  for (const { added, removed, count } of diffArrays([...older.lines], [...lines])) {
    if (added) origins.push(...new Array<undefined>(count));
    else if (!removed) origins.push(...older.origins.slice(from, from + count));
    if (!added) from += count;
  }
  return origins;
}

/** Return the consecutive lines of a file that have the same commit. Renames are not followed. */
export async function blame(objects: Objects, sha: string, path: string, range?: Range): Promise<Blamed[]> {
  const known = new Map<string, Promise<Version | undefined>>();
  const versionAt = (at: string): Promise<Version | undefined> => {
    const version = known.get(at) ?? readVersion(at);
    known.set(at, version);
    return version;
  };
  const readVersion = async (at: string): Promise<Version | undefined> => {
    const file = await objects.file(at, path);
    if (!file) return undefined;
    const parents: Version[] = [];
    for (const parent of (await objects.commitObject(at)).parent) {
      const version = await versionAt(parent);
      if (version?.oid === file.oid) return version;
      if (version) parents.push(version);
    }
    const lines = linesOf(await objects.blob(file.oid));
    const inherited = await Promise.all(parents.map((parent) => passed(parent, lines)));
    const origins = lines.map((_, index) => inherited.find((one) => one[index])?.[index] ?? at);
    return { oid: file.oid, lines, origins };
  };
  const { lines, origins } = (await versionAt(sha)) ?? { lines: [], origins: [] };
  const ranges: { commitId: string; lines: string[] }[] = [];
  for (let at = (range?.start ?? 1) - 1; at < Math.min(range?.end ?? lines.length, lines.length); at++) {
    const [commitId = sha, line = ''] = [origins[at], lines[at]];
    const last = ranges.at(-1);
    if (last?.commitId === commitId) last.lines.push(toUtf8(line));
    else ranges.push({ commitId, lines: [toUtf8(line)] });
  }
  return ranges;
}
