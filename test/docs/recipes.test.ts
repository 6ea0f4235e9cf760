/**
 * Runs the shell examples of README.md and docs/, each in a new sandbox and a new folder, and compares the output with the page.
 * `npm run examples` writes the output into the pages instead.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type Example,
  examplesOf,
  handWritten,
  makeFolder,
  root,
  run,
  runExample,
  update,
} from './examples.ts';

const pages = ['README.md', ...(await handWritten())];
const examples = (await Promise.all(pages.map(examplesOf))).flat();
const outputs = new Map<Example, string>();
const folder = await makeFolder();

afterAll(async () => {
  if (!process.env['UPDATE_EXAMPLES']) return;
  for (const page of pages)
    await update(page, new Map([...outputs].filter(([example]) => example.page === page)));
});

test('the index of the cookbook has a question for each recipe', async () => {
  const index = await readFile(join(root, 'docs/cookbook.md'), 'utf8');
  const linked = [...index.matchAll(/^- \[.+\?\]\(([^)]+)\)$/gm)].map(([, target = '']) => target);
  const recipes = pages
    .filter((page) => page.startsWith('docs/cookbook/'))
    .map(async (page) => {
      const prose = (await readFile(join(root, page), 'utf8')).replace(/^```[\s\S]*?^```$/gm, '');
      return [...prose.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => {
        const anchor = heading.toLowerCase().replace(/\W+/g, '-');
        return `${page.slice('docs/'.length)}#${anchor}`;
      });
    });
  const all = (await Promise.all(recipes)).flat();
  expect(all.length).toBeGreaterThanOrEqual(45);
  expect(linked.sort()).toEqual(all.sort());
});

test('no page is longer than 400 lines', async () => {
  const lengths = await Promise.all(
    pages.map(async (page) => [page, (await readFile(join(root, page), 'utf8')).split('\n').length] as const),
  );
  expect(lengths.filter(([, length]) => length > 400)).toEqual([]);
});

// A script waits for its programs most of the time.
describe.concurrent('prints what the page shows', () => {
  test.each(examples)('$page line $line', async (example) => {
    const { exitCode, output } = await runExample(folder, example);
    expect(exitCode, output).toBe(example.exitCode);
    outputs.set(example, output);
    if (!process.env['UPDATE_EXAMPLES']) expect(output).toBe(example.output);
  });
});

/** The configuration files of hosts: their command lines. */
const hosts = await (async () => {
  const page = await readFile(join(root, 'docs/agents.md'), 'utf8');
  return [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].flatMap(([, text = '']) => {
    const { mcpServers, servers } = JSON.parse(text) as Record<string, Record<string, Host>>;
    return Object.values(mcpServers ?? servers ?? {});
  });
})();
interface Host {
  readonly command: string;
  readonly args: readonly string[];
}

test('docs/agents.md shows configurations that start a server', async () => {
  expect(hosts.length).toBe(2);
  for (const { command, args } of hosts) {
    const ended = await run(folder, [command, ...args].join(' '));
    expect([ended.exitCode, ended.stdout]).toEqual([0, '']);
    expect(ended.stderr).toMatch(/^Serving \d+ tools for 127\.0\.0\.1/);
  }
});

interface Block {
  readonly line: number;
  /** From the comment above the code block: the credential of the job. */
  readonly credential: string;
  readonly text: string;
}

async function pipelinesOf(page: string): Promise<Block[]> {
  const text = await readFile(join(root, page), 'utf8');
  return [...text.matchAll(/(?:^<!-- with (\S+) -->\n)?^```yaml\n([\s\S]*?)^```$/gm)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    credential: match[1] ?? '',
    text: match[2] ?? '',
  }));
}

const pipelines = await pipelinesOf('docs/ci.md');

test('finds the pipelines', () => expect(pipelines.length).toBeGreaterThan(8));

interface Job {
  readonly extends?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
  readonly needs?: readonly string[];
  readonly allow_failure?: { readonly exit_codes: readonly number[] };
  readonly environment?: string;
  readonly rules?: readonly { readonly if: string }[];
}

/** The jobs of all blocks, with extended jobs resolved. */
const jobs = pipelines.flatMap(({ credential, text, line }) => {
  const all = parse(text) as Record<string, Job>;
  return Object.entries(all)
    .filter(([name]) => !name.startsWith('.') && name !== 'include')
    .map(([name, job]) => ({
      name,
      line,
      credential,
      job: { ...all[job.extends ?? ''], ...job },
      // Their artifacts are in the folder of the job.
      needed: (job.needs ?? []).flatMap((need) => all[need]?.script ?? []),
    }));
});

/** Turns the variables of the sandbox into those of a job, with the credential that the code block names. */
const asPipeline = `
export CI=true CI_SERVER_URL=$SVC_BASE_URL CI_API_V4_URL=$SVC_BASE_URL/api/v4 CI_JOB_TOKEN=$SVC_JOB_TOKEN
export CI_PROJECT_ID=100 CI_PIPELINE_ID=1010 CI_JOB_ID=5280
case $CREDENTIAL in
  SVC_TOKEN) ;;
  TOKEN_FILE) export TOKEN_FILE=$HOME/token; (umask 077; printf %s "$SVC_TOKEN" > "$TOKEN_FILE"); unset SVC_TOKEN ;;
  *) unset SVC_TOKEN ;;
esac
unset SVC_BASE_URL SVC_JOB_TOKEN
`;

/** The files of the repository that jobs use. */
const repository = `
printf 'svc: 1\\nvariables: [{ key: LOG_LEVEL, value: debug }]\\n' > settings.yaml
`;

/** The variables that only some jobs have: those with an environment, and those that run only for tags. */
const variablesOf = ({ environment, rules = [] }: Job) => ({
  ...(environment === undefined ? {} : { CI_ENVIRONMENT_NAME: environment }),
  ...(rules.length > 0 && rules.every((rule) => /\$CI_COMMIT_TAG\b/.test(rule.if))
    ? { CI_COMMIT_TAG: 'v1.1.0' }
    : {}),
});

/** Runs the job twice, as after "retry", and prints the exit codes. */
const twice = `
for run in 1 2; do
  code=0
  bash -eu -o pipefail -c "$JOB" >&2 || code=$?
  echo "$code"
done
`;

describe.concurrent('jobs succeed, or fail with an allowed exit code, each time', () => {
  test.each(jobs)('ci.md line $line: $name', async ({ job, credential, needed }) => {
    const lines = [...needed, ...(job.before_script ?? []), ...(job.script ?? [])];
    const { stdout, stderr } = await run(folder, asPipeline + repository + twice, {
      CREDENTIAL: credential,
      SVC_PACKAGE: 'https://host.example/svc.tgz',
      JOB: lines.join('\n'),
      ...variablesOf(job),
      ...job.variables,
    });
    const allowed = job.allow_failure?.exit_codes ?? [0];
    const codes = stdout.split('\n').map(Number);
    expect(codes).toHaveLength(2);
    for (const code of codes) expect(allowed, stderr).toContain(code);
    expect(stderr).not.toContain('not documented to accept a job token');
  });
});

test('examples need no additional programs', () => {
  for (const { script } of examples) {
    const code = script.replace(/--(jq|curl)\b/g, '').replace(/^#.*$/gm, '');
    expect(code).not.toMatch(/\b(jq|curl|python3?|perl)\s/);
  }
});
