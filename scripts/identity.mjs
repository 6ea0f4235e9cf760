// The constants that the build inserts into src/support/installation.ts.
import { readFile } from 'node:fs/promises';

/** Return the date of the latest release in a changelog, so that generated pages change only with a release. */
export function releaseDate(changelog) {
  return /^## .*?(\d{4}-\d{2}-\d{2})/m.exec(changelog)?.[1] ?? '2026-01-01';
}

/**
 * @param {string} root the folder of package.json
 * @param {string} folder the folder of CHANGELOG.md
 * @returns {Promise<Record<string, string>>} JavaScript by name
 */
export async function identity(root, folder = root) {
  const { version } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));
  const changelog = await readFile(`${folder}/CHANGELOG.md`, 'utf8').catch(() => '');
  return { __VERSION__: JSON.stringify(version), __RELEASED__: JSON.stringify(releaseDate(changelog)) };
}
