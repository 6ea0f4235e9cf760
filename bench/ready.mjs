// Prints the milliseconds from the import of the library until sandboxes are ready: node bench/ready.mjs <number of sandboxes>
const start = performance.now();
const { createSandbox } = await import('../dist/sandbox.js');
const sandboxes = await Promise.all(
  Array.from({ length: Number(process.argv[2] ?? 1) }, () => createSandbox()),
);
console.log(performance.now() - start);
for (const { url } of sandboxes)
  if (!(await fetch(`${url}/-/sandbox/ready`)).ok) throw new Error(`${url} is not ready`);
await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
