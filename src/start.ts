/** The entry point of `bin/svc.js`. It loads `main.ts` with compiled code, since compiling takes half of the time of a short command. */
import { cachedLoader } from './cached-loader.ts';

/** The file of `main.ts`. The build inserts its name, which contains a hash of its content. */
declare const __MAIN__: string;

/** Save at exit, and before a flag of V8 is set: V8 rejects code that was compiled with other flags. */
function saveLater(save: () => void): void {
  const v8 = require('node:v8') as typeof import('node:v8');
  const { setFlagsFromString } = v8;
  v8.setFlagsFromString = (flags) => {
    save();
    setFlagsFromString(flags);
  };
  process.once('exit', save);
}

cachedLoader(saveLater)(__MAIN__);
