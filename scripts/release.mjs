// npm run release -- <version> [--dry-run]: checks everything that must be true of a release, then creates its tag. It pushes and
// publishes nothing: it prints the commands for that. It stops at the first check that fails; --dry-run runs all and creates no tag.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { checks, createTag, runChecks } from './release/checks.mjs';

const words = process.argv.slice(2);
const versions = words.filter((word) => !word.startsWith('-'));
const isDry = words.includes('--dry-run');
if (versions.length !== 1 || words.some((word) => word.startsWith('-') && word !== '--dry-run')) {
  console.error('usage: npm run release -- <version> [--dry-run]');
  process.exit(2);
}
const [version] = versions;

/** Run npm. Its output is shown only if it fails. */
function npm(...args) {
  const options = { encoding: 'utf8', shell: process.platform === 'win32', maxBuffer: 2 ** 28 };
  const { status, stdout, stderr } = spawnSync('npm', args, options);
  if (status !== 0)
    throw new Error(
      `npm ${args.join(' ')} failed:\n${`${stdout}${stderr}`.trim().split('\n').slice(-20).join('\n')}`,
    );
  return stdout;
}

const now = new Date();
const two = (number) => String(number).padStart(2, '0');
const release = {
  version,
  today: `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`,
  folder: 'release',
  read: (path) => readFileSync(path, 'utf8'),
  git: (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  npm: (script) => void (script === 'cit' ? npm('cit') : npm('run', script)),
};

const failed = runChecks(checks, release, {
  all: isDry,
  report(name, problem) {
    console.log(`${problem === undefined ? 'ok  ' : 'FAIL'}  ${name}`);
    if (problem !== undefined) console.log(problem.replace(/^/gm, '      '));
  },
});
if (failed.length > 0) {
  console.error(
    `\n${isDry ? `${failed.length} of ${checks.length} checks failed` : 'Nothing was tagged'}. Fix this and try again.`,
  );
  process.exitCode = 1;
} else if (isDry) {
  console.log('\nEverything is true. Without --dry-run, this creates the tag.');
} else {
  const tag = createTag(release);
  console.log(`
Created the tag ${tag} in this repository. Nothing was pushed or published.

To undo it:            git tag --delete ${tag}
To push it:            git push --atomic <remote> main ${tag}
To publish to npm:     the job "publish" in CONTRIBUTING.md does it, because provenance needs an identity of the CI/CD service:
                       npm publish --provenance <file>
To publish the files:  upload everything in release/, with SHA256SUMS, to the page of the release
To build the image:    docker build --build-arg VERSION=${version} --file Dockerfile --tag svc:${version} release`);
}
