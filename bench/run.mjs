// npm run bench: checks speed budgets. Budgets are ratios of medians in one run, so that a noisy machine matters less.
// Options: --rounds N (default 15), --only <part of a name>, --node <path of another Node>.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    only: { type: 'string' },
    node: { type: 'string', default: process.execPath },
  },
});
const { node } = values;
const svc = [node, 'bin/svc.js'];
const sink = openSync('/dev/null', 'w');

const server = spawn(process.execPath, ['bench/server.mjs'], { stdio: ['ignore', 'pipe', 'inherit'] });
const [port] = (await once(server.stdout, 'data')).map((line) => String(line).trim());
const base = `http://127.0.0.1:${port}`;
const env = {
  ...process.env,
  SVC_BASE_URL: base,
  SVC_TOKEN: 'benchmark-token',
  SVC_CONFIG_DIR: '/nonexistent',
  GH_TOKEN: 'benchmark',
  GH_CONFIG_DIR: '/nonexistent',
};
// Node 20 takes 28 ms to load it at each start, and the benchmarks do not need it.
delete env.NODE_EXTRA_CA_CERTS;

const list = (total, ...more) => [...svc, 'jobs', 'list', '--project', String(total), ...more];
const curlPages = (total) => [
  'curl',
  '-s',
  '-o',
  '/dev/null',
  `${base}/api/v4/projects/${total}/jobs?per_page=100&page=[1-${total / 100}]`,
];
const gh = (total) => ['gh', 'api', '--paginate', `${base}/api/v4/projects/${total}/jobs?per_page=100`];

/**
 * `against` and `budget`: the case to compare with and the maximum ratio. `less`: the case that must be slower. `memory`: the maximum
 * peak in MiB. `slow`: runs in every fifth round.
 */
const cases = [
  { name: 'node -e 0', command: [node, '-e', '0'] },
  { name: 'svc --version', command: [...svc, '--version'], against: 'node -e 0', budget: 1.3 },
  {
    name: 'svc variables --help',
    command: [...svc, 'variables', '--help'],
    against: 'node -e 0',
    budget: 1.7,
  },
  { name: 'jobs list --json', command: list(20, '--json'), against: 'node -e 0', budget: 3 },
  { name: 'curl, one page', command: ['curl', '-s', '-o', '/dev/null', `${base}/api/v4/projects/20/jobs`] },
  { name: 'curl, 10,000', command: curlPages(10_000) },
  { name: 'gh, 10,000', command: gh(10_000) },
  {
    name: 'svc --all --json, 10,000',
    command: list(10_000, '--all', '--json'),
    against: 'curl, 10,000',
    budget: 6,
    less: 'gh, 10,000',
  },
  { name: 'svc --all ndjson, 10,000', command: list(10_000, '--all', '-o', 'ndjson') },
  {
    name: 'svc --all table, 10,000',
    command: list(10_000, '--all', '-o', 'table'),
    against: 'svc --all ndjson, 10,000',
    budget: 2,
  },
  { name: 'svc --all csv, 10,000', command: list(10_000, '--all', '--csv') },
  { name: 'curl, 100,000', command: curlPages(100_000), slow: true },
  { name: 'gh, 100,000', command: gh(100_000), slow: true },
  {
    name: 'svc --all --json, 100,000',
    command: list(100_000, '--all', '--json'),
    against: 'curl, 100,000',
    budget: 6,
    less: 'gh, 100,000',
    memory: 160,
    slow: true,
  },
];

/** Return milliseconds and peak MiB of one run; undefined if the command is not installed. */
async function runOnce(command) {
  const start = process.hrtime.bigint();
  const child = spawn(command[0], command.slice(1), { env, stdio: ['ignore', sink, 'ignore'] });
  let peak = 0;
  const watch = setInterval(() => {
    try {
      peak = Math.max(
        peak,
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024,
      );
    } catch {}
  }, 25);
  try {
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${command.join(' ')} failed with exit code ${code}`);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  } finally {
    clearInterval(watch);
  }
  return { ms: Number(process.hrtime.bigint() - start) / 1e6, peak };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const chosen = cases.filter(
  ({ name }) =>
    !values.only ||
    name.includes(values.only) ||
    cases.some((one) => one.name.includes(values.only) && (one.against === name || one.less === name)),
);
const taken = new Map(chosen.map(({ name }) => [name, []]));
const rounds = Number(values.rounds);
for (let round = 0; round < rounds; round++) {
  for (const { name, command, slow } of chosen) {
    // A slow case varies less, so a fifth of the rounds is enough.
    if (slow && round % 5 !== 0) continue;
    const one = await runOnce(command);
    if (one) taken.get(name).push(one);
  }
}
server.kill();

const rows = chosen
  .filter(({ name }) => taken.get(name).length > 0)
  .map(({ name, against, budget, less, memory }) => {
    const ms = median(taken.get(name).map((one) => one.ms));
    const of = (other) =>
      other && taken.get(other)?.length ? ms / median(taken.get(other).map((one) => one.ms)) : undefined;
    const peak = Math.max(...taken.get(name).map((one) => one.peak));
    const ratio = of(against);
    const lessRatio = of(less);
    const fits = !(ratio > budget) && !(lessRatio >= 1) && !(memory && peak > memory);
    return { name, ms, peak, against, ratio, budget, less, lessRatio, memory, fits };
  });
const cell = (value, width) => String(value ?? '').padStart(width);
console.log(`node ${node === process.execPath ? process.version : node}, medians of ${rounds} rounds`);
console.log(`${'case'.padEnd(28)}${cell('ms', 9)}${cell('MiB', 7)}  ratio`);
for (const row of rows) {
  const parts = [
    row.ratio && `${row.ratio.toFixed(2)} x ${row.against} (at most ${row.budget})`,
    row.lessRatio && `${row.lessRatio.toFixed(2)} x ${row.less} (less than 1)`,
    row.memory && `at most ${row.memory} MiB`,
    row.fits ? '' : 'OVER',
  ];
  console.log(
    `${row.name.padEnd(28)}${cell(row.ms.toFixed(1), 9)}${cell(row.peak ? row.peak.toFixed(0) : '', 7)}  ${parts.filter(Boolean).join('; ')}`,
  );
}
writeFileSync('bench/results.json', `${JSON.stringify({ node: process.version, rounds, rows }, null, 2)}\n`);
process.exitCode = rows.every(({ fits }) => fits) ? 0 : 1;
