// Debian packages: deb(5), with the paths where dpkg, man and the shells look for files.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { tarball } from './tar.mjs';

/** The Debian name of an architecture. */
export const debArchitectures = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };

/** Where each shell looks for the completion of a command. */
const completions = {
  'svc.bash': 'usr/share/bash-completion/completions/svc',
  _svc: 'usr/share/zsh/vendor-completions/_svc',
  'svc.fish': 'usr/share/fish/vendor_completions.d/svc.fish',
};

/** A reserved domain, and no Homepage: this project has no public address (decision 16). */
const maintainer = 'svc maintainers <maintainers@svc.invalid>';

/** A version in Debian's order: identifiers such as -rc.1 precede the release. */
const debVersion = (version) => version.replace('-', '~').replace(/\+.*/, '');

/**
 * Build a package. `architecture` is that of Debian, `description` one line, and `time` that of every file. `man` and `completions` map file
 * names to their content.
 * @returns {Promise<Buffer>}
 */
export async function debianPackage(options) {
  const files = filesOf(options).sort((a, b) => (a.name < b.name ? -1 : 1));
  const bytes = files.reduce((sum, { content }) => sum + Math.ceil(content.length / 1024), 0);
  const md5 = ({ content }) => createHash('md5').update(content).digest('hex');
  const control = [
    { name: './control', content: Buffer.from(controlText(options, bytes)) },
    { name: './md5sums', content: Buffer.from(files.map((file) => `${md5(file)}  ${file.name}\n`).join('')) },
  ];
  const { time } = options;
  return ar(
    [
      ['debian-binary', Buffer.from('2.0\n')],
      ['control.tar.gz', await tarball(control, { time, folders: true })],
      [
        'data.tar.gz',
        await tarball(
          files.map((file) => ({ ...file, name: `./${file.name}` })),
          { time, folders: true },
        ),
      ],
    ],
    time,
  );
}

function filesOf({ executable, man, completions: scripts, copyright, changelog }) {
  const pages = [...man].map(([name, page]) => ({
    name: `usr/share/man/man${name.at(-1)}/${name}.gz`,
    content: gzipSync(page, { level: 9 }),
  }));
  const shells = Object.entries(completions).map(([name, path]) => ({
    name: path,
    content: scripts.get(name),
  }));
  return [
    { name: 'usr/bin/svc', content: executable, executable: true },
    ...pages,
    ...shells,
    { name: 'usr/share/doc/svc/copyright', content: Buffer.from(copyright) },
    { name: 'usr/share/doc/svc/changelog.gz', content: gzipSync(changelog, { level: 9 }) },
  ];
}

function controlText({ version, architecture, description }, kilobytes) {
  return [
    'Package: svc',
    `Version: ${debVersion(version)}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${kilobytes}`,
    // The oldest version that has the symbols which the runtime uses.
    'Depends: libc6 (>= 2.17)',
    'Section: utils',
    'Priority: optional',
    `Description: ${description}`,
    ' svc covers every endpoint of the API: jobs, variables, migrations, files and',
    ' more. It contains a sandbox, a local service that implements the same API.',
    '',
  ].join('\n');
}

/** An archive in the format of ar(5). */
function ar(members, time) {
  const seconds = String(Math.floor(time.getTime() / 1000));
  const parts = members.flatMap(([name, content]) => {
    const fields = [name.padEnd(16), seconds.padEnd(12), '0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)];
    const header = `${fields.join('')}${String(content.length).padEnd(10)}\`\n`;
    return [Buffer.from(header), content, Buffer.alloc(content.length % 2, '\n')];
  });
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}
