/** Whether a pattern matches a whole text; `*` matches any text. Runs in linear time. */
export function matchesWildcard(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return first === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Whether a pattern matches a whole path or URL: `*` matches text without a slash, `**` any text. */
export function matchesPath(pattern: string, text: string): boolean {
  let ends = [0];
  for (const part of pattern.split(/(\*\*?)/)) {
    const [first] = ends;
    if (first === undefined) return false;
    if (part === '**') ends = range(first, text.length);
    else if (part === '*') {
      const reached = ends.flatMap((end) => range(end, `${text}/`.indexOf('/', end)));
      ends = [...new Set(reached)].sort((a, b) => a - b);
    } else ends = ends.flatMap((end) => (text.startsWith(part, end) ? end + part.length : []));
  }
  return ends.includes(text.length);
}

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);
