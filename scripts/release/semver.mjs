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
  const [one, other] = [a, b].map(sortKey);
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Return a text that sorts in the order of versions: numbers precede words, and a version without identifiers follows those with some. */
function sortKey(text) {
  const version = parseVersion(text);
  if (!version) throw new Error(`not a semantic version: ${text}`);
  const number = (digits) => `0${String(digits).padStart(20, '0')}`;
  const identifiers = version.pre.map((one) => (/^\d+$/.test(one) ? number(one) : `1${one}`));
  return [...version.core.map(number), ...(identifiers.length > 0 ? identifiers : ['2'])].join('\0');
}
