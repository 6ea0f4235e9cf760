/** Order of versions. */

/** Ecosystems of package URLs whose versions follow semantic versioning. */
const semantic = /^pkg:(?:npm|cargo|golang|hex|pub|swift|nuget|composer)\//;
const release = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([\w.-]+))?$/;

const isNumber = (part: string): boolean => /^\d+$/.test(part);

/** Numbers compare as numbers of any length, text by code units. @param textSign the sign if the first is text and the other a number */
function compareParts(a: string, b: string, textSign: 1 | -1): number {
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -textSign : textSign;
  const [x, y] = isNumber(a) ? [a, b].map((part) => part.replace(/^0+(?=\d)/, '')) : [a, b];
  if (x === undefined || y === undefined || x === y) return 0;
  const byLength = isNumber(a) ? x.length - y.length : 0;
  return byLength || (x < y ? -1 : 1);
}

/** The first part that differs decides. @param padding for parts that one of them lacks; without it, fewer parts come first */
function compareLists(
  a: readonly string[],
  b: readonly string[],
  textSign: 1 | -1,
  padding?: string,
): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const [x = padding, y = padding] = [a[at], b[at]];
    if (x === undefined || y === undefined) return a.length - b.length;
    const sign = compareParts(x, y, textSign);
    if (sign !== 0) return sign;
  }
  return 0;
}

/** The core and the identifiers of a pre-release; undefined if it is no semantic version. */
function readSemantic(version: string): { core: string[]; before: string[] | undefined } | undefined {
  const [found, major = '', minor = '0', patch = '0', before] =
    release.exec(version.replace(/\+.*$/s, '')) ?? [];
  return found === undefined ? undefined : { core: [major, minor, patch], before: before?.split('.') };
}

/**
 * Compare two versions of a component: negative if the first is earlier.
 * @param purl selects the rules: semantic versioning, or else part by part, where text comes before numbers and a missing part is 0
 */
export function compareVersions(first: string, second: string, purl: string): number {
  const [a = '', b = ''] = [first, second].map((version) => version.trim().replace(/^v(?=\d)/i, ''));
  const [x, y] = semantic.test(purl) ? [readSemantic(a), readSemantic(b)] : [];
  if (!x || !y) return compareLists(partsOf(a), partsOf(b), -1, '0');
  const core = compareLists(x.core, y.core, 1);
  if (core !== 0) return core;
  if (!x.before || !y.before) return Number(!x.before) - Number(!y.before);
  return compareLists(x.before, y.before, 1);
}

const partsOf = (version: string): string[] => version.match(/\d+|[a-z]+/gi) ?? [];
