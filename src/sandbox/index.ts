/**
 * An in-process implementation of the API, to try the program and to test against. Section numbers in comments refer to the
 * specification of the API.
 */
export type { Spam, World } from './core/behavior.ts';
export type { Info } from './info.ts';
export { openSandbox, type Sandbox, type SandboxOptions, type SandboxStorage } from './sandbox.ts';
export type { Content, Send } from './seed/fill.ts';
export { type Scale, scaleNames } from './seed/scale.ts';
export { type SandboxServer, type ServeOptions, serve } from './serve.ts';

/** @see store/disk.ts */
export async function hasState(dir: string): Promise<boolean> {
  return (await import('./store/disk.ts')).hasState(dir);
}

/** @see store/disk.ts */
export async function deleteState(dir: string, wait: number): Promise<void> {
  await (await import('./store/disk.ts')).deleteState(dir, wait);
}

/** Whether a request to the API can match a fault. */
export async function servesMatch(match: string): Promise<boolean> {
  const [{ canMatch }, { loadRoutes }] = await Promise.all([
    import('./control/faults.ts'),
    import('./routes.ts'),
  ]);
  return canMatch(
    match,
    (await loadRoutes()).map(({ endpoint }) => endpoint),
  );
}

/** Load all modules, because a long-running sandbox must survive an upgrade of its files. */
export async function preload(): Promise<void> {
  await Promise.all([
    import('./git/open.ts'),
    import('./store/disk.ts'),
    import('./git/history.ts'),
    import('isomorphic-git'),
    import('diff'),
    import('markdown-it'),
    import('re2js'),
  ]);
}
