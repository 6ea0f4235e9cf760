// npm run check:words: refuses words and spellings that the language guide of this project replaces (scripts/words.txt).
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const list = 'scripts/words.txt';
const places = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'package.json', 'Dockerfile', '.ci'],
  ...['src', 'templates', 'test', 'docs', 'man', 'completions', 'scripts', 'bench', 'bin'],
];

/** A space in a pattern also matches a line break in prose or in a comment. */
const rules = readFileSync(list, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [pattern, hint] = line.split('\t');
    if (!hint) throw new Error(`${list}: no replacement after a tab: ${line}`);
    return { regex: new RegExp(pattern.replaceAll(' ', '[\\s*/#]+'), 'gim'), hint };
  });

/** Texts of licenses are those of others. A file that was deleted can still be in the index. */
const isOurs = (file) => file !== list && !file.includes('/texts/') && existsSync(file);
const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...places]);

let found = 0;
for (const file of String(listed).split('\n').filter(isOurs)) {
  const text = readFileSync(file, 'utf8');
  if (text.includes('\0')) continue;
  for (const { regex, hint } of rules) {
    for (const match of text.matchAll(regex)) {
      const line = text.slice(0, match.index).split('\n').length;
      console.error(`${file}:${line}: "${match[0].replace(/\s+/g, ' ')}": ${hint}`);
      found += 1;
    }
  }
}
if (found > 0) {
  console.error(`\n${found} found. The list, with the reasons: ${list}`);
  process.exitCode = 1;
}
