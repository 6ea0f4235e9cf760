/** A service may echo a token back, in a message or a URL: it is masked before anyone sees it. */

const mask = '***';
/** A shorter text stands in too many innocent places, and would be told by its very absence. */
const shortest = 4;

export type Redact = (text: string) => string;

/**
 * A function that masks these texts wherever they stand: as they are, percent-encoded, within JSON, or put on one line.
 * @param secrets values, not names
 */
export function redactor(secrets: readonly string[]): Redact {
  const texts = secrets
    .filter((secret) => secret.length >= shortest)
    .flatMap((secret) => [
      secret,
      encoded(secret),
      JSON.stringify(secret).slice(1, -1),
      secret.replace(/\s+/g, ' '),
    ])
    .filter((text) => text.trim().length >= shortest)
    .sort((a, b) => b.length - a.length);
  const unique = [...new Set(texts)];
  return (text) => unique.reduce((rest, secret) => rest.replaceAll(secret, mask), text);
}

/** The same for every text in a JSON value, names included. */
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [redact(name), redactValue(item, redact)]),
  );
}

function encoded(secret: string): string {
  return secret.isWellFormed() ? encodeURIComponent(secret) : secret;
}
