/** Facts about the runtime that executes the program: Node, or Bun in an executable. */

const isBun = process.versions['bun'] !== undefined;

/** Whether the process waits at its end for threads that wait in the system. */
export const waitsForThreads: boolean = !isBun;

/**
 * Bytes of a JSON text that JSON.parse checks faster than JavaScript code that has just started. V8 has compiled that code after about a
 * page of jobs. JavaScriptCore takes the whole run of a command for it.
 */
export const nativeJsonBytes: number = (isBun ? 1024 : 64) * 1024;
