/** `svc each` as a process: it is killed and resumed, and it is interrupted. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Started, sharedHome, start, svc, until } from '../support/process.ts';
import { json, sharedService } from '../support/service.ts';
import { words } from '../support/svc.ts';

const targets = 1500;
const few = 400;
/** A path that no other test uses. */
const projectOf = (url: string): string => /projects\/([^/]+)/.exec(url)?.[1] ?? '';

const home = await sharedHome();
/** The number of times that the service executed a write of a project. */
let executed: Map<string, number>;
/** Requests that the service rejects, in turn. */
let rejects: (number: number) => boolean;

let number = 0;
const service = await sharedService((req, res) => {
  number += 1;
  if (rejects(number)) return void res.writeHead(number % 2 ? 429 : 503, { 'retry-after': '0' }).end('{}');
  req.resume().on('end', () => {
    const project = projectOf(req.url ?? '');
    executed.set(project, (executed.get(project) ?? 0) + 1);
    json(res, { id: 1, level: 'watch' });
  });
});
const env = { SVC_BASE_URL: service.origin, SVC_TOKEN: 'token' };

beforeAll(async () => {
  const names = Array.from({ length: targets }, (_, at) => `acme/p${at}`);
  await writeFile(join(home.path, 'projects.txt'), names.join('\n'));
  await writeFile(join(home.path, 'few.txt'), names.slice(0, few).join('\n'));
});
beforeEach(() => {
  executed = new Map();
  rejects = () => false;
});

const update = words('notifications update --level watch');
const create = words('badges create --link-url https://a.example/l --image-url https://a.example/i');

const memoryOf = ({ child: { pid } }: Started): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

const eachOf = (journal: string, resume: boolean, command: readonly string[]) => [
  'each',
  ...(resume ? ['--resume', journal] : ['--journal', journal]),
  ...['--projects', 'projects.txt', '--concurrency', '8', '-o', 'ndjson', '--', ...command],
];

/** Run a command, kill it five times, and run it to its end. */
async function killed(journal: string, command: readonly string[]): Promise<{ out: string; code: number }> {
  for (let kill = 0; kill < 5; kill++) {
    const run = start(home, eachOf(journal, kill > 0, command), { env });
    const before = service.arrived.length;
    await until(`requests of run ${kill}`, () => service.arrived.length >= before + 150 + kill * 17);
    if (process.platform === 'linux') expect(memoryOf(run)).toBeLessThan(250 * 1024);
    run.child.kill('SIGKILL');
    await run.ended;
  }
  return svc(home, eachOf(journal, true, command), { env });
}

describe('killed five times, with a service that rejects one request in seven', () => {
  beforeEach(() => {
    rejects = (number) => number % 7 === 3;
  });

  it('completes every PUT', async () => {
    const ran = await killed('put.ndjson', update);
    expect(ran.code).toBe(0);
    expect(executed.size).toBe(targets);
  });

  it('repeats no POST, and reports those whose outcome is unknown', async () => {
    const ran = await killed('post.ndjson', create);
    const unknown = ran.out.split('\n').filter((line) => line.includes('"kind":"unknown"')).length;
    expect(ran.code).toBe(unknown > 0 ? 11 : 0);
    expect(Math.max(...executed.values())).toBe(1);
    expect(executed.size + unknown).toBeGreaterThanOrEqual(targets);
    expect(unknown).toBeLessThanOrEqual(5 * 8);
  });
});

it.each(['ndjson', 'json', 'csv', 'table'])(
  'a reader that goes away ends a run with -o %s after the targets that are running, and none is sent twice',
  async (format) => {
    const journal = `gone-${format}.ndjson`;
    const line = (resume: boolean) => [
      ...['each', resume ? '--resume' : '--journal', journal, '--projects', 'few.txt'],
      ...['--concurrency', '8', '-o', format, '--', ...create],
    ];
    const run = start(home, line(false), { env });
    run.child.stdout?.once('data', () => run.child.stdout?.destroy());
    const { code, err } = await run.ended;
    expect([code, /error/i.exec(err)]).toEqual([0, null]);
    expect(err).toMatch(/^\d+ done, \d+ not started\. Resume with: svc each --resume \S*gone-/m);
    const before = executed.size;
    expect(before).toBeLessThan(few);
    const lines = readFileSync(join(home.path, journal), 'utf8').trimEnd().split('\n');
    const states = lines.map((one): string => JSON.parse(one).state);
    expect(states.filter((state) => state === 'done')).toHaveLength(before);
    expect(states.filter((state) => state === 'started')).toHaveLength(before);

    const again = await svc(home, line(true), { env });
    expect(again.code).toBe(0);
    expect(executed.size).toBe(few);
    expect(Math.max(...executed.values())).toBe(1);
  },
);
