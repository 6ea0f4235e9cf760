// Collects the license texts of the packages that are bundled into dist/.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {readonly string[]} modules paths of the bundled modules
 * @returns {{ name: string, version: string, license: string, folder: string }[]} their packages, sorted by name
 */
export function packagesOf(modules) {
  const folders = new Set(modules.map((id) => /^\0?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]));
  folders.delete(undefined);
  return [...folders]
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      return { name, version, license, folder };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Join lists of packages, each package once, sorted by name.
 * @param {readonly { name: string, version: string, license: string }[][]} lists
 */
export function union(...lists) {
  const packages = new Map(lists.flat().map((one) => [`${one.name} ${one.version}`, one]));
  return [...packages.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** @returns {string} name, version, license and license text of each package */
export function notices(packages) {
  return packages.map(notice).join(`\n${'-'.repeat(80)}\n\n`);
}

function notice({ name, version, license, folder }) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0) texts.push(...standardText(name, license, folder));
  // Licenses of compiled code that the files of the package do not mention.
  const additional = join(import.meta.dirname, 'licenses', `${name.replace('/', '-')}.txt`);
  if (existsSync(additional)) texts.push(readFileSync(additional, 'utf8').trim());
  return `${name} ${version}: ${license}\n\n${texts.join('\n\n')}\n`;
}

/** The notice of a package without a license file: the author that it names, and the text of its license. */
function standardText(name, license, folder) {
  const file = join(import.meta.dirname, 'licenses/texts', `${license}.txt`);
  const { author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (!existsSync(file) || !author) throw new Error(`${name} has no license text`);
  return [`Copyright ${author.name ?? author} (from package.json)`, readFileSync(file, 'utf8').trim()];
}
