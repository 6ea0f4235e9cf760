// The sections of CHANGELOG.md: `## Unreleased`, and `## 1.2.3 (2026-01-31)`.

/** @returns {{ heading: string, version?: string, date?: string, text: string }[]} in the order of the file */
export function sectionsOf(changelog) {
  return changelog
    .split(/^(?=## )/m)
    .filter((part) => part.startsWith('## '))
    .map((part) => {
      const [line = '', ...rest] = part.split('\n');
      const heading = line.slice(3).trim();
      const [, version, date] = /^(\S+) \((\d{4}-\d{2}-\d{2})\)$/.exec(heading) ?? [];
      return { heading, version, date, text: rest.join('\n').trim() };
    });
}
