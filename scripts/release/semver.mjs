// Semantic Versioning 2.0.0: parse versions, and compare them by precedence (section 11).

const number = '(?:0|[1-9]\\d*)';
const identifier = `(?:${number}|\\d*[A-Za-z-][\\dA-Za-z-]*)`;
const pattern = new RegExp(
  `^(${number})\\.(${number})\\.(${number})(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[\\dA-Za-z-]+(?:\\.[\\dA-Za-z-]+)*)?$`,
);

/** @returns {{ core: number[], pre: string[] } | undefined} undefined for other texts */
export function parseVersion(text) {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, major, minor, patch, pre] = match;
  return { core: [major, minor, patch].map(Number), pre: pre ? pre.split('.') : [] };
}

/** Return a negative number if `a` precedes `b`. @throws Error for texts that are not versions */
export function compareVersions(a, b) {
  const [one, other] = [a, b].map((text) => {
    const version = parseVersion(text);
    if (!version) throw new Error(`not a semantic version: ${text}`);
    return version;
  });
  for (const at of [0, 1, 2]) if (one.core[at] !== other.core[at]) return one.core[at] - other.core[at];
  // A version without identifiers follows those with some.
  if (one.pre.length === 0 || other.pre.length === 0) return other.pre.length - one.pre.length;
  for (let at = 0; at < Math.min(one.pre.length, other.pre.length); at += 1) {
    const order = compareIdentifiers(one.pre[at], other.pre[at]);
    if (order !== 0) return order;
  }
  return one.pre.length - other.pre.length;
}

function compareIdentifiers(a, b) {
  const [numericA, numericB] = [a, b].map((text) => /^\d+$/.test(text));
  if (numericA && numericB) return Number(a) - Number(b);
  // Numbers precede words.
  if (numericA !== numericB) return numericA ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
