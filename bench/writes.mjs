// Prints the mean processor time of a write to a sandbox with this many variables, in milliseconds: node bench/writes.mjs 20000 memory|durable
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Processor time is counted in steps of 10 ms, which are less than two percent of three times as many writes. */
const rounds = 200;
const [count = '100', storage = 'memory'] = process.argv.slice(2);
/** Variables that the sandbox has anyway. */
const seeded = 6;
const folder = mkdtempSync(join(tmpdir(), 'svc-writes-'));
const where = storage === 'memory' ? ['--memory'] : ['--data', join(folder, 'data')];
const sandbox = spawn(
  process.execPath,
  ['bin/svc.js', 'sandbox', 'start', '--scale', `variables=${Number(count) + seeded}`, '--json', ...where],
  {
    stdio: ['ignore', 'pipe', 'ignore'],
  },
);

const url = await new Promise((resolve, reject) => {
  let text = '';
  sandbox.stdout.on('data', (chunk) => {
    text += chunk;
    const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
    if (found) resolve(found);
  });
  sandbox.once('exit', () => reject(new Error('the sandbox did not start')));
});

/** Milliseconds of processor time of the sandbox. Other programs on the machine influence it less than the time that passes. */
function busy() {
  const [, fields] = readFileSync(`/proc/${sandbox.pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) * 10;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const send = async (method, path, body) => {
  const sent = request(`${url}/api/v4/projects/100/variables${path}`, {
    method,
    agent,
    headers: { 'private-token': 'sandbox-admin', 'content-type': 'application/json' },
  });
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, 'response');
  await once(response.resume(), 'end');
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: status ${response.statusCode}`);
};
const write = async (index) => {
  await send('POST', '', { key: `NEW_${index}`, value: 'two' });
  await send('PUT', `/SCALE_${String(1 + (index % Number(count))).padStart(4, '0')}`, { value: 'three' });
  await send('DELETE', `/NEW_${index}`);
};

// The first requests compile the code.
for (let index = 0; index < rounds / 4; index++) await write(rounds + index);
const before = busy();
for (let index = 0; index < rounds; index++) await write(index);
console.log((busy() - before) / rounds / 3);

agent.destroy();
sandbox.kill();
await once(sandbox, 'exit');
rmSync(folder, { recursive: true });
