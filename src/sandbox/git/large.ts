/** Git LFS: the files to which pointers in the repository refer (`lfs=true`, section 4.4). */
import { gunzipSync } from 'node:zlib';
import stored from '../seed/data/large.json' with { type: 'json' };

/** Compressed, by SHA-256. */
const files: ReadonlyMap<string, string> = new Map(Object.entries(stored));

/** Return the file of a pointer; undefined for other content and unknown files. */
export function largeFile(pointer: Uint8Array): Uint8Array | undefined {
  const text = Buffer.from(pointer.subarray(0, 1024)).toString('latin1');
  const [, oid = ''] =
    /^version https:\/\/git-lfs\.github\.com\/spec\/v1\noid sha256:(\w+)\n/.exec(text) ?? [];
  const content = files.get(oid);
  return content === undefined ? undefined : gunzipSync(Buffer.from(content, 'base64'));
}
