// Archives whose bytes depend only on their content: entries in the given order, one time, no user names.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';

/**
 * @typedef {object} Entry
 * @property {string} name with `/`
 * @property {Buffer} content
 * @property {boolean} [executable]
 */

/**
 * @param {readonly Entry[]} entries
 * @param {{ time: Date, folders?: boolean }} options time: of every entry; folders: write an entry for each folder, as dpkg requires
 * @returns {Promise<Buffer>} a compressed archive
 */
export async function tarball(entries, { time, folders = false }) {
  const archive = pack();
  const bytes = buffer(archive);
  const owner = { uid: 0, gid: 0, uname: 'root', gname: 'root', mtime: time };
  if (folders)
    for (const name of foldersOf(entries)) archive.entry({ name, type: 'directory', mode: 0o755, ...owner });
  for (const { name, content, executable } of entries)
    archive.entry({ name, mode: executable ? 0o755 : 0o644, ...owner }, content);
  archive.finalize();
  return gzipSync(await bytes, { level: 9 });
}

/** The folders of entries, parents first. */
function foldersOf(entries) {
  const names = entries.flatMap(({ name }) => {
    const parts = name.split('/').slice(0, -1);
    return parts.map((_, at) => `${parts.slice(0, at + 1).join('/')}/`);
  });
  return [...new Set(names)].sort();
}

/** Unpack the files that `nameOf` gives a path in the folder. */
export async function unpack(archive, folder, nameOf) {
  const reader = extract();
  const done = (async () => {
    for await (const entry of reader) {
      const name = nameOf(entry.header.name);
      const content = await buffer(entry);
      if (name === undefined) continue;
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
  })();
  reader.end(gunzipSync(archive));
  await done;
}
