/** The entry point of `<package>/sandbox`. It loads `library.ts` with compiled code, since each process of a test suite loads it. */
import { cachedLoader } from './cached-loader.ts';
import type * as library from './library.ts';

/** The file of `library.ts`. The build inserts its name. */
declare const __LIBRARY__: string;

const load = cachedLoader((save) => process.once('exit', save));
export const { createSandbox } = load(__LIBRARY__) as typeof library;
