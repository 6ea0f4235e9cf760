/** The thread of the jq engine. JavaScript, because Node must be able to start it from source as well as from a build. */
import { parentPort } from 'node:worker_threads';
import { loadJq } from 'jq-wasm/inline';

/** Kept between runs, because loading compiles it again. Discarded after an error. */
let engine;

// The engine prints to the console when it aborts.
console.error = () => {};

parentPort.on('message', async ({ input, program, flags, port }) => {
  try {
    engine ??= await loadJq();
    const result = engine.raw(input, program, flags);
    if (result.exitCode !== 0) engine = undefined;
    port.postMessage({ result });
  } catch (error) {
    engine = undefined;
    port.postMessage({ error: String(error) });
  }
});
