// What the licenses of the packages inside dist/ ask for: their texts, beside the copies.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {readonly string[]} modules paths of the bundled modules
 * @returns {string} each package once, by name, with its version, its license and the text of it
 */
export function notices(modules) {
  const folders = new Set(modules.map((id) => /^\0?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]));
  folders.delete(undefined);
  return [...folders]
    .map(notice)
    .sort()
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  if (!license && files.length === 0) throw new Error(`${name} has no license`);
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  // What a package contains compiled, and does not mention in its own files.
  const inside = join(import.meta.dirname, 'licenses', `${name.replace('/', '-')}.txt`);
  if (existsSync(inside)) texts.push(readFileSync(inside, 'utf8').trim());
  return `${name} ${version}: ${license}\n\n${texts.join('\n\n')}\n`;
}
