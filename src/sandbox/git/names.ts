/** What a repository refuses, by code: the caller chooses status and words. */
export type GitCode =
  | 'unsafe-path'
  | 'file-exists'
  | 'file-missing'
  | 'file-changed'
  | 'empty-commit'
  | 'branch-missing'
  | 'branch-exists'
  | 'branch-name'
  | 'ref-missing';

export class GitError extends Error {
  override readonly name = 'GitError';
  readonly code: GitCode;

  constructor(code: GitCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Whether git takes it as the name of a branch or tag (`git check-ref-format`), and it is no full SHA. */
export function isRefName(name: string): boolean {
  if (name === '' || name === '@' || name === 'HEAD' || name.startsWith('-') || name.endsWith('.'))
    return false;
  if (/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{/.test(name) || /^[0-9a-f]{40}$/.test(name)) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

/** Whether a file may have this path: no empty segment, no `.`, `..` or `.git`, no NUL, no backslash. */
export function isSafePath(path: string): boolean {
  if (/[\0\\]/.test(path)) return false;
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !/^\.git$/i.test(part));
}
