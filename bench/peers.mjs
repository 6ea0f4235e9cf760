// Other programs for the same API, and what each runs for the same work.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** One project, with a list of this many jobs. */
const path = (jobs) => `api/v4/projects/${jobs}/jobs`;
const variable = 'api/v4/projects/1/variables/LOG_LEVEL';

/** A line for gitbeaker, which has no command line of its own in this checkout. */
const gitbeaker = (node, base, call) => [
  ...[node, '--input-type=module', '-e'],
  `import { Gitlab } from '@gitbeaker/rest';
const service = new Gitlab({ host: ${JSON.stringify(base)}, token: 'benchmark' });
process.stdout.write(JSON.stringify(await service.${call}));`,
];

/**
 * The programs, each with its command for the lines that it supports. A program without `path` is looked up in PATH.
 * @param node the Node.js that runs svc and gitbeaker
 * @param svc the program of svc as npm installs it
 * @param base the URL of the server
 * @returns {{ name: string, isInstalled?: () => boolean, lines: Record<string, string[]> }[]}
 */
export function peersFor({ node, svc, base }) {
  const ownLines = (program) => ({
    '--version': [...program, '--version'],
    '--help': [...program, '--help'],
    'one GET': [...program, ...['jobs', 'list', '--project', '20', '--json']],
    '10,000 jobs': [...program, ...['jobs', 'list', '--project', '10000', '--all', '--json']],
    'one write': [...program, ...['variables', 'set', 'LOG_LEVEL', 'info', '--project', '1', '--json']],
  });
  const executable = process.env.SVC_BIN ?? 'node_modules/.cache/svc/bin/svc';
  const python = ['/usr/bin/python3', '-m', 'gitlab'];
  const pythonCall = [...python, '--server-url', base, '-o', 'json'];
  return [
    { name: 'svc with Node.js', lines: ownLines([node, svc]) },
    { name: 'svc executable', isInstalled: () => existsSync(executable), lines: ownLines([executable]) },
    {
      name: 'curl',
      lines: {
        '--version': ['curl', '--version'],
        '--help': ['curl', '--help'],
        'one GET': ['curl', '-sf', `${base}/${path(20)}`],
        '10,000 jobs': ['curl', '-sf', `${base}/${path(10_000)}?per_page=100&page=[1-100]`],
        'one write': ['curl', '-sf', '-X', 'PUT', '--json', '{"value":"info"}', `${base}/${variable}`],
      },
    },
    {
      name: 'gh',
      lines: {
        '--version': ['gh', '--version'],
        '--help': ['gh', '--help'],
        'one GET': ['gh', 'api', `${base}/${path(20)}`],
        '10,000 jobs': ['gh', 'api', '--paginate', `${base}/${path(10_000)}?per_page=100`],
        'one write': ['gh', 'api', '-X', 'PUT', '-f', 'value=info', `${base}/${variable}`],
      },
    },
    {
      name: 'python-gitlab',
      isInstalled: () => spawnSync(python[0], ['-c', 'import gitlab']).status === 0,
      lines: {
        '--version': [...python, '--version'],
        '--help': [...python, '--help'],
        'one GET': [
          ...pythonCall,
          ...['project-job', 'list', '--project-id', '20', '--per-page', '20', '--page', '1'],
        ],
        '10,000 jobs': [
          ...pythonCall,
          ...['project-job', 'list', '--project-id', '10000', '--per-page', '100', '--get-all'],
        ],
        'one write': [
          ...pythonCall,
          ...['project-variable', 'update', '--project-id', '1', '--key', 'LOG_LEVEL', '--value', 'info'],
        ],
      },
    },
    {
      name: 'gitbeaker',
      isInstalled: () => existsSync('node_modules/@gitbeaker/rest'),
      lines: {
        'one GET': gitbeaker(node, base, 'Jobs.all(20, { perPage: 20, maxPages: 1 })'),
        '10,000 jobs': gitbeaker(node, base, 'Jobs.all(10000, { perPage: 100 })'),
        'one write': gitbeaker(node, base, "ProjectVariables.edit(1, 'LOG_LEVEL', 'info')"),
      },
    },
  ];
}

/** The maximum ratio to other programs. The limits of svc with Node.js are in cases.mjs. */
const atMost = {
  'svc executable': {
    '--version': { gh: 0.5 },
    'one GET': { gh: 0.7 },
    '10,000 jobs': { gh: 0.6 },
  },
};

/** Whether a limit compares this program. Its median needs every round. */
const isLimited = (name) =>
  name in atMost ||
  Object.values(atMost).some((lines) => Object.values(lines).some((others) => name in others));

const caseName = (line, peer) => `peers, ${line}: ${peer}`;

/** The cases of the benchmark for all lines of all programs. */
export function peerCases(context) {
  return peersFor(context).flatMap(({ name, isInstalled = () => true, lines }) =>
    Object.entries(lines).map(([line, command]) => ({
      name: caseName(line, name),
      peer: name,
      line,
      command,
      isInstalled,
      atMost: Object.fromEntries(
        Object.entries(atMost[name]?.[line] ?? {}).map(([other, ratio]) => [caseName(line, other), ratio]),
      ),
      slow: line === '10,000 jobs' && !isLimited(name),
    })),
  );
}

/**
 * Print which program is the fastest for each line.
 * @param {{ peer: string, line: string, ms?: number }[]} results without `ms` if the program is missing
 */
export function comparison(results) {
  const text = [];
  for (const line of new Set(results.map((one) => one.line))) {
    const measured = results.filter((one) => one.line === line && one.ms !== undefined);
    const ranked = measured.sort((a, b) => a.ms - b.ms);
    if (ranked.length === 0) continue;
    const own = ranked.filter(({ peer }) => peer.startsWith('svc '));
    text.push('', `${line}: ${ranked[0].peer} is the fastest`);
    const ratios = own.map(({ peer }) => `x ${peer}`);
    text.push(`  ${''.padEnd(18)}${'ms'.padStart(8)}${ratios.map((title) => title.padStart(20)).join('')}`);
    for (const { peer, ms } of ranked) {
      const compared = own.map((one) => (ms / one.ms).toFixed(2).padStart(20));
      text.push(`  ${peer.padEnd(18)}${ms.toFixed(1).padStart(8)}${compared.join('')}`);
    }
  }
  const missing = new Set(results.filter(({ ms }) => ms === undefined).map(({ peer }) => peer));
  if (missing.size > 0) text.push('', `not installed: ${[...missing].join(', ')}`);
  return text.join('\n');
}
