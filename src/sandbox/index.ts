/** The embedded service: a real server of this API, for those who try it and those who test against it. */
export type { Behavior, Context, Spam, World } from './core/behavior.ts';
export type { Info } from './info.ts';
export { openSandbox, type Place, type Sandbox, type SandboxOptions } from './sandbox.ts';
export { type Served, type ServeOptions, serve } from './serve.ts';
export { forgetDisk } from './store/disk.ts';

/** Load now what is otherwise loaded when it is asked for: under a sandbox that stays, the files of `svc` may be replaced by newer ones. */
export async function loadAll(): Promise<void> {
  await Promise.all([
    import('./git/repository.ts'),
    import('./git/history.ts'),
    import('isomorphic-git'),
    import('diff'),
  ]);
}
