// The conditions of a release. Each check returns an error message, or nothing.
import { join } from 'node:path';
import semver from 'semver';
import { manifestOf, versionOfExecutable, wrongFiles } from './archives.mjs';
import { sectionsOf } from './changelog.mjs';

/**
 * @typedef {object} Release
 * @property {string} version without a v
 * @property {string} today such as 2026-01-31
 * @property {string} folder of the files of `npm run package`
 * @property {(path: string) => string} read
 * @property {(...args: string[]) => string} git prints its standard output; throws if git fails
 * @property {(name: string) => void} npm runs a script of package.json; throws if it fails
 *
 * @typedef {object} Check
 * @property {string} name a statement that must be true
 * @property {(release: Release) => string | undefined} check
 */

const json = (release, path) => JSON.parse(release.read(path));
const tagOf = (version) => `v${version}`;

/** The versions of the tags. */
const released = ({ git }) =>
  [...git('tag', '--list', 'v*').matchAll(/^v(.*)$/gm)].map(([, version]) => version).filter(isVersion);

/** Whether a text is a semantic version. npm ignores build metadata, so a release has none. */
const isVersion = (text) => semver.valid(text) === text;

/** Run a script of package.json. @returns {Check} */
const passes = (script) => ({ name: `npm run ${script} passes`, check: ({ npm }) => void npm(script) });

const isUnchanged = ({ git }) => {
  const changed = git('status', '--porcelain').trim();
  return changed === '' ? undefined : `git status lists ${changed.split('\n').length} files:\n${changed}`;
};

/** @type {readonly Check[]} in the order in which they run: those that take minutes come last */
export const checks = [
  {
    name: 'the version is a semantic version, without a v',
    check: ({ version }) => (isVersion(version) ? undefined : `not a semantic version: ${version}`),
  },
  {
    name: 'the branch is main',
    check({ git }) {
      const branch = git('rev-parse', '--abbrev-ref', 'HEAD').trim();
      return branch === 'main' ? undefined : `the branch is ${branch}`;
    },
  },
  { name: 'every change is committed', check: isUnchanged },
  {
    name: 'the tag does not exist',
    check({ version, git }) {
      const found = git('tag', '--list', tagOf(version)).trim();
      return found === '' ? undefined : `the tag ${found} exists`;
    },
  },
  {
    name: 'the version is greater than that of every tag',
    check(release) {
      const last = released(release).sort(semver.compare).at(-1);
      if (last === undefined || semver.lt(last, release.version)) return undefined;
      return `the last tag is ${tagOf(last)}`;
    },
  },
  {
    name: 'package.json and package-lock.json have the version',
    check(release) {
      const { version } = json(release, 'package.json');
      const lock = json(release, 'package-lock.json');
      const wrong = Object.entries({
        'package.json': version,
        'package-lock.json': lock.version,
        'package-lock.json, packages': lock.packages?.['']?.version,
      }).filter(([, found]) => found !== release.version);
      if (wrong.length === 0) return undefined;
      const found = wrong.map(([file, one]) => `${file}: ${one}`).join('; ');
      return `${found}. Run: npm version --no-git-tag-version ${release.version}`;
    },
  },
  {
    name: 'package.json has the address of the repository',
    check(release) {
      const { repository } = json(release, 'package.json');
      const url = typeof repository === 'string' ? repository : repository?.url;
      return url
        ? undefined
        : 'add repository to package.json: npm rejects provenance if the package does not name the repository that publishes it';
    },
  },
  {
    name: 'CHANGELOG.md starts with the version and the date of today',
    check({ read, version, today }) {
      const [first] = sectionsOf(read('CHANGELOG.md'));
      const wanted = `${version} (${today})`;
      if (first?.heading !== wanted) return `the first heading is "${first?.heading}", not "${wanted}"`;
      return first.text === '' ? 'the section is empty' : undefined;
    },
  },
  {
    name: 'CHANGELOG.md has no unreleased changes',
    check({ read }) {
      const others = sectionsOf(read('CHANGELOG.md')).filter(
        ({ version, text }) => version === undefined && text !== '',
      );
      return others.length === 0 ? undefined : `the section "${others[0].heading}" has changes`;
    },
  },
  passes('check'),
  { name: 'npm cit passes', check: ({ npm }) => void npm('cit') },
  passes('package'),
  {
    name: 'a second npm run package writes the same bytes',
    check({ npm, read, folder }) {
      const sums = join(folder, 'SHA256SUMS');
      const first = read(sums);
      npm('package');
      return read(sums) === first ? undefined : 'SHA256SUMS differs';
    },
  },
  {
    name: 'every file of the release matches SHA256SUMS',
    check: ({ folder }) => wrongFiles(folder).join('; ') || undefined,
  },
  {
    name: 'the executable for this machine prints the version',
    check({ folder, version }) {
      const printed = versionOfExecutable(folder, version);
      return printed === `svc ${version}` ? undefined : `it prints "${printed}"`;
    },
  },
  {
    name: 'the npm package has the version, and asks for provenance',
    check(release) {
      const { version, folder } = release;
      const { name } = json(release, 'package.json');
      const { version: packed, publishConfig } = manifestOf(join(folder, `${name}-${version}.tgz`));
      if (packed !== version) return `its version is ${packed}`;
      return publishConfig?.provenance === true ? undefined : 'publishConfig.provenance is not set';
    },
  },
  { name: 'the checks changed no file', check: isUnchanged },
];

/** Run checks in order. @returns {string[]} the names of those that failed: at most one, unless `all` is set */
export function runChecks(list, release, { all = false, report = () => {} } = {}) {
  const failed = [];
  for (const { name, check } of list) {
    let problem;
    try {
      problem = check(release);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    report(name, problem);
    if (problem === undefined) continue;
    failed.push(name);
    if (!all) break;
  }
  return failed;
}

/** Create the annotated tag. git signs it if tag.gpgSign is set. */
export function createTag({ version, git, read }) {
  const [section] = sectionsOf(read('CHANGELOG.md'));
  git(
    'tag',
    '--annotate',
    tagOf(version),
    '--message',
    `svc ${version}`,
    '--message',
    section?.text ?? '',
    '--cleanup=verbatim',
  );
  return tagOf(version);
}
