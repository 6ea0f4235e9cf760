/** Git LFS: pointers in the repository, and the files they refer to (`lfs=true`, section 4.4). */
import { createHash } from 'node:crypto';

/** Return a cone of 64 faces in STL format. */
export function noseModel(): Uint8Array {
  const faces = 64;
  const at = (index: number) => {
    const angle = (2 * Math.PI * index) / faces;
    return `${Math.cos(angle).toFixed(4)} ${Math.sin(angle).toFixed(4)} 0.0000`;
  };
  const lines = Array.from({ length: faces }, (_, index) =>
    [
      '  facet normal 0 0 0',
      '    outer loop',
      '      vertex 0.0000 0.0000 3.0000',
      `      vertex ${at(index)}`,
      `      vertex ${at(index + 1)}`,
      '    endloop',
      '  endfacet',
    ].join('\n'),
  );
  return Buffer.from(`solid nose\n${lines.join('\n')}\nendsolid nose\n`);
}

/** Return the pointer that is committed instead of a large file. */
export function pointerTo(bytes: Uint8Array): string {
  const oid = createHash('sha256').update(bytes).digest('hex');
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`;
}

/** Return the file of a pointer; undefined for other content and unknown files. */
export function largeFile(pointer: Uint8Array): Uint8Array | undefined {
  if (pointer.length > 1024) return undefined;
  const nose = noseModel();
  return Buffer.from(pointer).toString('utf8') === pointerTo(nose) ? nose : undefined;
}
