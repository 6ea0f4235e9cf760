/** A change that git rejects. */
export class GitError extends Error {
  override readonly name = 'GitError';
}

/** Whether git accepts a branch or tag name (`git check-ref-format`). Full SHAs are rejected. */
export function isRefName(name: string): boolean {
  if (name === '' || name === '@' || name === 'HEAD' || name.startsWith('-') || name.endsWith('.'))
    return false;
  if (/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{/.test(name) || /^[0-9a-f]{40}$/.test(name)) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

/** Whether a path has no empty segment, `.`, `..`, `.git`, NUL or backslash. */
export function isSafePath(path: string): boolean {
  if (/[\0\\]/.test(path)) return false;
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !/^\.git$/i.test(part));
}
