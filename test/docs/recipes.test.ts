/**
 * Runs each recipe of docs/scripting.md and docs/pipelines.md against a new sandbox in a new folder.
 * `# -> text` is an expected line of standard output; `...` in it matches any text.
 */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = resolve(import.meta.dirname, '../..');
const node = process.env['SVC_TEST_NODE'] ?? process.execPath;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-recipes-'));
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const programs = {
    svc: `exec ${JSON.stringify(node)} ${JSON.stringify(join(root, 'bin/svc.js'))} "$@"`,
    // Jobs need not install anything.
    npm: 'exit 0',
  };
  for (const [name, line] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${line}\n`);
    await chmod(join(bin, name), 0o755);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Block {
  readonly page: string;
  readonly line: number;
  /** The word after the language of a code block: the credential of the job. */
  readonly credential: string;
  readonly text: string;
}

async function blocksOf(name: string, language: string): Promise<Block[]> {
  const page = await readFile(join(root, 'docs', name), 'utf8');
  const fence = new RegExp(`^\`\`\`${language}(?: (\\S+))?\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...page.matchAll(fence)].map(([, credential = '', text = ''], index, all) => ({
    page: name,
    line: page.slice(0, all[index]?.index).split('\n').length,
    credential,
    text,
  }));
}

/** Run a script with `svc sandbox exec` in a new folder. */
async function run(script: string, more: Readonly<Record<string, string>> = {}) {
  const cwd = await mkdtemp(join(folder, 'run-'));
  await mkdir(join(cwd, 'home'));
  const env = {
    PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
    HOME: join(cwd, 'home'),
    LC_ALL: 'C.UTF-8',
    ...more,
  };
  const words = ['sandbox', 'exec', '--', 'bash', '-eu', '-o', 'pipefail', '-c', script];
  return execa('svc', words, { cwd, env, extendEnv: false, reject: false, stdin: 'ignore', timeout: 60_000 });
}

const expected = (text: string) => [...text.matchAll(/^# -> (.*)$/gm)].map(([, line = '']) => line);

/** Return a pattern for an expected line. */
function pattern(line: string): RegExp {
  const parts = line.split('...').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

const scripts = [...(await blocksOf('scripting.md', 'sh')), ...(await blocksOf('pipelines.md', 'sh'))];
const pipelines = await blocksOf('pipelines.md', 'yaml');

test('finds the recipes, most of them with expected output', () => {
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter(({ text }) => expected(text).length > 0).length).toBeGreaterThan(10);
  expect(pipelines.length).toBeGreaterThan(8);
});

describe('recipes', () => {
  test.each(scripts)('$page line $line', async ({ text }) => {
    const { exitCode, stdout, stderr } = await run(text, { SVC_PROJECT: 'acme/rocket' });
    expect(exitCode, stderr).toBe(0);
    const lines = stdout === '' ? [] : stdout.split(/\r?\n/);
    const wanted = expected(text);
    expect(lines, stderr).toEqual(wanted.map((line) => expect.stringMatching(pattern(line))));
  });
});

interface Job {
  readonly extends?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
  readonly allow_failure?: { readonly exit_codes: readonly number[] };
}

/** The jobs of all blocks, with extended jobs resolved. */
const jobs = pipelines.flatMap(({ credential, text, line }) => {
  const all = parse(text) as Record<string, Job>;
  return Object.entries(all)
    .filter(([name]) => !name.startsWith('.'))
    .map(([name, job]) => ({ name, line, credential, job: { ...all[job.extends ?? ''], ...job } }));
});

/** Turns the variables of the sandbox into those of a job, with the credential that the code block names. */
const asPipeline = `
export CI=true CI_SERVER_URL=$SVC_BASE_URL CI_API_V4_URL=$SVC_BASE_URL/api/v4 CI_JOB_TOKEN=$SVC_JOB_TOKEN
export CI_PROJECT_ID=100 CI_PIPELINE_ID=1010 CI_JOB_ID=5280 CI_COMMIT_TAG=v1.1.0 CI_ENVIRONMENT_NAME=staging
case $CREDENTIAL in
  SVC_TOKEN) ;;
  TOKEN_FILE) export TOKEN_FILE=$HOME/token; (umask 077; printf %s "$SVC_TOKEN" > "$TOKEN_FILE"); unset SVC_TOKEN ;;
  *) unset SVC_TOKEN ;;
esac
unset SVC_BASE_URL SVC_JOB_TOKEN
`;

describe('jobs succeed, or fail with an allowed exit code', () => {
  test.each(jobs)('pipelines.md line $line: $name', async ({ job, credential }) => {
    const lines = [asPipeline, ...(job.before_script ?? []), ...(job.script ?? [])];
    const { exitCode, stdout, stderr } = await run(lines.join('\n'), {
      CREDENTIAL: credential,
      SVC_PACKAGE: 'https://host.example/svc.tgz',
      ...job.variables,
    });
    const allowed = job.allow_failure?.exit_codes ?? [0];
    expect(allowed, stdout + stderr).toContain(exitCode);
    expect(stderr).not.toContain('not known to take a job token');
  });
});

test('recipes need no additional programs', () => {
  for (const { text } of [...scripts, ...pipelines]) {
    const code = text.replace(/--(jq|curl)\b/g, '').replace(/^#.*$/gm, '');
    expect(code).not.toMatch(/\b(jq|curl|python3?|perl)\s/);
  }
});

test('links in docs/pipelines.md lead to existing headings', async () => {
  const page = await readFile(join(root, 'docs/pipelines.md'), 'utf8');
  const links = [...page.matchAll(/\]\(([\w.-]+\.md)#([\w-]+)\)/g)];
  expect(links.length).toBeGreaterThan(1);
  for (const [link, file = '', heading] of links) {
    const target = await readFile(join(root, 'docs', file), 'utf8');
    const headings = [...target.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(headings, link).toContain(heading);
  }
});
