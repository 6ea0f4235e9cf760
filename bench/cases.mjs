// The cases of the benchmarks.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Write a file with the ids of projects, one per line, and return its path. */
function targets(folder, count) {
  const path = join(folder, `${count}-projects.txt`);
  writeFileSync(path, Array.from({ length: count }, (_, index) => `${index + 1}\n`).join(''));
  return path;
}

/** A script for python-gitlab that sets a variable of each project, with a pool of threads. */
const pythonScript = `
import sys
from concurrent.futures import ThreadPoolExecutor
try:
    import gitlab
except ImportError:
    sys.exit(127)
_, base, path, threads = sys.argv
service = gitlab.Gitlab(base, private_token='benchmark')
def change(project):
    service.http_put(f'/projects/{project}/variables/LOG_LEVEL', post_data={'value': 'info'})
with ThreadPoolExecutor(int(threads)) as pool:
    list(pool.map(change, open(path).read().split()))
`;

/**
 * `atMost`: the maximum ratio to other cases. `memory`: the maximum peak in MiB. `curve`: the memory is read after each tenth of its
 * requests, and `atMost` is the maximum ratio of the last value to the second. `slow`: runs in every third round. `reports`: the
 * command prints the milliseconds that count.
 * @param node the Node.js that runs svc
 * @param svc the program as npm installs it
 * @param base the URL of the server
 * @param folder for files that the cases read
 */
export function casesFor({ node, svc: program, base, folder }) {
  const svc = [node, program];
  const list = (total, ...more) => [...svc, 'jobs', 'list', '--project', String(total), ...more];
  const jobs = (total, root = base) => `${root}/api/v4/projects/${total}/jobs?per_page=100`;
  const curlPages = (total) => ['curl', '-s', '-o', '/dev/null', `${jobs(total)}&page=[1-${total / 100}]`];
  const gh = (total) => ['gh', 'api', '--paginate', jobs(total)];
  return [
    { name: 'node -e 0', command: [node, '-e', '0'] },
    { name: 'svc --version', command: [...svc, '--version'], atMost: { 'node -e 0': 1.35 } },
    {
      name: 'svc __complete of words',
      command: [...svc, '__complete', '--', 'jobs', ''],
      atMost: { 'node -e 0': 2.2 },
    },
    {
      name: 'svc variables --help',
      command: [...svc, 'variables', '--help'],
      atMost: { 'node -e 0': 1.8 },
    },
    {
      name: 'createSandbox, from import to ready',
      command: [node, 'bench/ready.mjs', '1'],
      atMost: { 'node -e 0': 2.4 },
      reports: true,
    },
    {
      name: 'createSandbox, ten side by side',
      command: [node, 'bench/ready.mjs', '10'],
      atMost: { 'node -e 0': 6 },
      reports: true,
    },
    { name: 'jobs list', command: list(20), atMost: { 'node -e 0': 2.4 } },
    {
      name: 'svc --limit 100 --json',
      command: list(10_000, '--limit', '100', '--json'),
      atMost: { 'node -e 0': 2.5 },
    },
    { name: 'curl, 10,000', command: curlPages(10_000) },
    { name: 'gh, 10,000', command: gh(10_000) },
    {
      name: 'svc --all --json, 10,000',
      command: list(10_000, '--all', '--json'),
      // There is no limit for curl, which checks nothing of what it passes on.
      atMost: { 'gh, 10,000': 0.8 },
    },
    { name: 'svc --all ndjson, 10,000', command: list(10_000, '--all', '-o', 'ndjson') },
    {
      name: 'svc --all table, 10,000',
      command: list(10_000, '--all', '-o', 'table'),
      atMost: { 'svc --all ndjson, 10,000': 2 },
    },
    { name: 'svc --all csv, 10,000', command: list(10_000, '--all', '--csv') },
    { name: 'curl, 100,000', command: curlPages(100_000), slow: true },
    { name: 'gh, 100,000', command: gh(100_000), slow: true },
    {
      name: 'svc --all --json, 100,000',
      command: list(100_000, '--all', '--json'),
      atMost: { 'gh, 100,000': 1 },
      memory: 160,
      slow: true,
    },
    {
      name: 'svc --all --jq by row, 100,000',
      command: list(100_000, '--all', '--jq', '.[] | select(.status == "failed") | .id'),
      memory: 220,
      slow: true,
    },
    ...distantPages({ list, jobs, base }),
    ...manyTargets({ svc, base, folder }),
    ...standard({ svc, base, folder }),
    ...writes(node),
  ];
}

/** 100 pages that take 100 ms each. */
function distantPages({ list, jobs, base }) {
  const root = `${base}/delay-100`;
  const env = { SVC_BASE_URL: root };
  const all = (...more) => list(10_000, '--all', '-o', 'ndjson', ...more);
  const curl = (most) => ['curl', '-s', '--parallel', '--parallel-max', String(most), '-o', '/dev/null'];
  const url = `${jobs(10_000, root)}&page=[1-100]`;
  const slow = true;
  return [
    { name: 'distant pages: svc --parallel 1', command: all('--parallel', '1'), env, slow },
    { name: 'distant pages: curl --parallel-max 4', command: [...curl(4), url], slow },
    { name: 'distant pages: svc --parallel 4', command: all('--parallel', '4'), env, slow },
    {
      name: 'distant pages: svc --parallel 8',
      command: all('--parallel', '8'),
      env,
      atMost: { 'distant pages: svc --parallel 1': 0.25 },
      slow,
    },
    { name: 'distant pages: curl --parallel-max 16', command: [...curl(16), url], slow },
    { name: 'distant pages: svc --parallel 16', command: all('--parallel', '16'), env, slow },
  ];
}

/** The plan of a standard for 320 projects, where each request takes 50 ms. */
function standard({ svc, base, folder }) {
  const path = join(folder, 'standard.yaml');
  const documents = Array.from(
    { length: 320 },
    (_, index) => `svc: 1\nproject: ${index + 1}\nvariables: [{ key: LOG_LEVEL, value: info }]\n`,
  );
  writeFileSync(path, documents.join('---\n'));
  const env = { SVC_BASE_URL: `${base}/delay-50` };
  const diff = (concurrency) => [...svc, 'diff', '-f', path, '--concurrency', concurrency];
  const alone = '320 plans: one at a time';
  return [
    { name: alone, command: diff('1'), env, slow: true },
    {
      name: '320 plans: eight at a time',
      command: diff('8'),
      env,
      atMost: { [alone]: 0.3 },
      memory: 150,
      slow: true,
    },
  ];
}

/** A variable of 300 projects, where each request takes 50 ms; and of 10,000 projects without delay. */
function manyTargets({ svc, base, folder }) {
  const root = `${base}/delay-50`;
  const env = { SVC_BASE_URL: root };
  const some = targets(folder, 300);
  const many = targets(folder, 10_000);
  const url = `${root}/api/v4/projects/{}/variables/LOG_LEVEL`;
  const xargs = (...command) => ['xargs', '-a', some, '-P', '8', '-I', '{}', ...command];
  const each = (path) => [
    ...svc,
    ...['each', '--projects', path, '--concurrency', '8', '--'],
    ...['variables', 'set', 'LOG_LEVEL', 'info'],
  ];
  const slow = true;
  return [
    {
      name: '300 targets: xargs -P 8 svc',
      command: xargs(...svc, 'variables', 'set', 'LOG_LEVEL', 'info', '--project', '{}'),
      env,
      slow,
    },
    {
      name: '300 targets: xargs -P 8 curl',
      command: xargs('curl', '-sf', '-o', '/dev/null', '-X', 'PUT', '--json', '{"value":"info"}', url),
      slow,
    },
    {
      name: '300 targets: python-gitlab, 8 threads',
      command: ['/usr/bin/python3', '-c', pythonScript, root, some, '8'],
      slow,
    },
    {
      name: '300 targets: svc each',
      command: each(some),
      env,
      atMost: { '300 targets: xargs -P 8 svc': 0.5, '300 targets: xargs -P 8 curl': 1.3 },
      slow,
    },
    {
      name: '10,000 targets: svc each',
      command: each(many),
      memory: 250,
      curve: { requests: 10_000, atMost: 1.3 },
      slow,
    },
  ];
}

/** A write of a variable to a sandbox: its processor time does not depend on the number of variables. */
function writes(node) {
  return ['memory', 'durable'].flatMap((storage) =>
    ['100', '20000'].map((count) => ({
      name: `a write to ${count} variables, ${storage}`,
      command: [node, 'bench/writes.mjs', count, storage],
      ...(count === '100' ? {} : { atMost: { [`a write to 100 variables, ${storage}`]: 1.5 } }),
      reports: true,
      slow: true,
    })),
  );
}
