// npm run bench: checks speed budgets. Budgets are ratios of medians in one run, so that a noisy machine matters less.
// Options: --rounds N (default 15), --only <part of a name>, --node <path or major version of another Node> (default SVC_BENCH_NODE).
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { nodeBinary } from '../scripts/node-binary.mjs';
import { casesFor } from './cases.mjs';
import { comparison, peerCases } from './peers.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    only: { type: 'string' },
    node: { type: 'string', default: process.env.SVC_BENCH_NODE || process.execPath },
  },
});
const node = /^\d+$/.test(values.node) ? nodeBinary(values.node) : values.node;
const sink = openSync('/dev/null', 'w');

const server = spawn(process.execPath, ['bench/server.mjs'], { stdio: ['ignore', 'pipe', 'inherit'] });
const [port] = (await once(server.stdout, 'data')).map((line) => String(line).trim());
const base = `http://127.0.0.1:${port}`;
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const home = join(folder, 'home');
mkdirSync(home);
const env = {
  ...process.env,
  SVC_BASE_URL: base,
  SVC_TOKEN: 'benchmark-token',
  SVC_CONFIG_DIR: '/nonexistent',
  // For compiled code, which the first run stores.
  HOME: home,
  XDG_CACHE_HOME: join(home, '.cache'),
  XDG_STATE_HOME: folder,
  GH_TOKEN: 'benchmark',
  GH_CONFIG_DIR: '/nonexistent',
};
// Node 20 takes 28 ms to load it at each start, and the benchmarks do not need it.
delete env.NODE_EXTRA_CA_CERTS;

const svc = installed();
const cases = [...casesFor({ node, svc, base, folder }), ...peerCases({ node, svc, base })];

/** Copy the program as npm installs it. */
function installed() {
  const target = join(folder, 'package');
  for (const name of ['bin', 'dist', 'package.json']) cpSync(name, join(target, name), { recursive: true });
  return join(target, 'bin/svc.js');
}

const countRequests = async () => Number(await (await fetch(`${base}/requests`)).text());

/** A value in MiB from the status of a process; 0 once it has ended. */
function memoryOf(pid, name) {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

const points = 10;

/** Collect the resident memory of a process after each tenth of its requests, in MiB. */
async function followCurve(pid, requests, curve) {
  const before = await countRequests();
  while (curve.length < points) {
    const memory = memoryOf(pid, 'VmRSS');
    if (memory === 0) return;
    const done = ((await countRequests()) - before) / requests;
    while (curve.length < Math.floor(done * points)) curve.push(memory);
    await sleep(25);
  }
}

/**
 * Return milliseconds, peak MiB and the curve of the memory of one run; undefined if the command is not installed (127 from a
 * shell). A command that reports prints the milliseconds itself.
 */
async function runOnce({ command, env: more, reports, curve: wanted, isInstalled }) {
  if (isInstalled?.() === false) return undefined;
  const start = process.hrtime.bigint();
  const child = spawn(command[0], command.slice(1), {
    env: { ...env, ...more },
    stdio: ['ignore', reports ? 'pipe' : sink, 'ignore'],
  });
  const printed = reports ? text(child.stdout) : undefined;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(child.pid, 'VmHWM'));
  }, 25);
  const curve = [];
  try {
    if (wanted) void followCurve(child.pid, wanted.requests, curve);
    const [code] = await once(child, 'exit');
    if (code === 127) return undefined;
    if (code !== 0) throw new Error(`${command.join(' ')} failed with exit code ${code}`);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  } finally {
    clearInterval(watch);
  }
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  return { ms: printed ? Number(await printed) : ms, peak, curve };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
/** The median of each point. A run that was too fast to be observed at each point is left out. */
function medianCurve(curves) {
  const whole = curves.filter(({ length }) => length === points);
  return whole.length > 0
    ? Array.from({ length: points }, (_, at) => median(whole.map((curve) => curve[at])))
    : undefined;
}
const isNamed = ({ name }) => !values.only || name.includes(values.only);
const compared = new Set(cases.filter(isNamed).flatMap(({ atMost = {} }) => Object.keys(atMost)));
const chosen = cases.filter((one) => isNamed(one) || compared.has(one.name));
const taken = new Map(chosen.map(({ name }) => [name, []]));
const rounds = Number(values.rounds);
// The first run of svc compiles its code.
for (const one of chosen) if (!one.slow) await runOnce(one);
for (let round = 0; round < rounds; round++) {
  for (const one of chosen) {
    // A slow case varies less, so a third of the rounds is enough.
    if (one.slow && round % 3 !== 0) continue;
    const run = await runOnce(one);
    if (run) taken.get(one.name).push(run);
  }
}
server.kill();
rmSync(folder, { recursive: true });

const medianOf = (name) =>
  taken.get(name)?.length ? median(taken.get(name).map(({ ms }) => ms)) : undefined;
const rows = chosen
  .filter(({ name }) => taken.get(name).length > 0)
  .map(({ name, peer, atMost = {}, memory, curve: wanted }) => {
    const ms = medianOf(name);
    const peak = Math.max(...taken.get(name).map((one) => one.peak));
    const curve = wanted && medianCurve(taken.get(name).map((one) => one.curve));
    const growth = curve && curve.at(-1) / curve[1];
    const ratios = Object.entries(atMost)
      .filter(([against]) => medianOf(against) !== undefined)
      .map(([against, budget]) => ({ against, budget, ratio: ms / medianOf(against) }));
    const fits =
      ratios.every(({ ratio, budget }) => ratio <= budget) &&
      !(memory && peak > memory) &&
      !(growth && growth > wanted.atMost);
    return { name, peer, ms, peak, ratios, memory, curve, growth, maxGrowth: wanted?.atMost, fits };
  });
const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
const nameWidth = 2 + Math.max(...rows.map(({ name }) => name.length));
const cell = (value, width) => String(value ?? '').padStart(width);
console.log(`node ${version}, medians of ${rounds} rounds`);
console.log(`${'case'.padEnd(nameWidth)}${cell('ms', 9)}${cell('MiB', 7)}  ratio`);
for (const row of rows) {
  // Other programs follow in the comparison.
  if (row.peer && row.ratios.length === 0) continue;
  const parts = [
    ...row.ratios.map(({ ratio, against, budget }) => `${ratio.toFixed(2)} x ${against} (at most ${budget})`),
    row.memory && `at most ${row.memory} MiB`,
    row.growth &&
      `MiB at each tenth: ${row.curve.map((one) => one.toFixed(0)).join(' ')}; last / second ${row.growth.toFixed(2)} (at most ${row.maxGrowth})`,
    row.fits ? '' : 'OVER',
  ];
  console.log(
    `${row.name.padEnd(nameWidth)}${cell(row.ms.toFixed(1), 9)}${cell(row.peak ? row.peak.toFixed(0) : '', 7)}  ${parts.filter(Boolean).join('; ')}`,
  );
}
const peers = chosen.filter(({ peer }) => peer).map((one) => ({ ...one, ms: medianOf(one.name) }));
if (peers.length > 0) console.log(comparison(peers));
writeFileSync('bench/results.json', `${JSON.stringify({ node: version, rounds, rows }, null, 2)}\n`);
process.exitCode = rows.every(({ fits }) => fits) ? 0 : 1;
