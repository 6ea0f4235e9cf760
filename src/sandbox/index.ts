/**
 * An in-process implementation of the API, to try the program and to test against. Section numbers in comments refer to the
 * specification of the API.
 */

export { cutOf } from './control/control.ts';
export type { Spam, World } from './core/world.ts';
export type { Info } from './info.ts';
export { openSandbox, type Sandbox, type SandboxOptions, type SandboxStorage } from './sandbox.ts';
export type { Content, Send } from './seed/fill.ts';
export { type Scale, scaleNames } from './seed/scale.ts';
export { type SandboxServer, serve } from './serve.ts';
export { deleteState, hasState } from './store/folder.ts';

/** Load all modules, because a long-running sandbox must survive an upgrade of its files. */
export async function preload(): Promise<void> {
  await Promise.all([
    import('./git/history.ts'),
    import('./control/emit.ts'),
    import('./areas/jobs/archive.ts'),
    import('./seed/data/world.json', { with: { type: 'json' } }),
    import('isomorphic-git'),
    import('diff'),
    import('markdown-it'),
    import('re2js'),
  ]);
}
