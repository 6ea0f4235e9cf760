/** The thread of jq's engine. JavaScript, since a thread starts from a file that Node can load, built or not. */
import { parentPort } from 'node:worker_threads';
import { loadJq } from 'jq-wasm/inline';

/** The engine, while it is fit for another run: it compiles itself anew each time it is loaded. */
let engine;

// An engine that gives up prints words of its own.
console.error = () => {};

parentPort.on('message', async ({ input, program, flags, port }) => {
  try {
    engine ??= await loadJq();
    const ended = engine.raw(input, program, flags);
    if (ended.exitCode !== 0) engine = undefined;
    port.postMessage({ ended });
  } catch (error) {
    engine = undefined;
    port.postMessage({ error: String(error) });
  }
});
