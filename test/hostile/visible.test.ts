// Text of the service that a person reads is one line without control characters, and known tokens in it are masked.
import { execFileSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import type { Request } from '../../src/http/transport.ts';
import { folderWith, refused, typing } from '../interface/service.ts';
import { type Canned, canned, svc, words } from '../support/svc.ts';

/** Ends a line in every notation, and contains what terminals interpret. */
const breaks = ['\n', '\r\n', '\r', '\u000b', '\u000c', '\u0085', '\u2028', '\u2029'];
const hostile = `name${breaks.map((char) => `${char}FORGED`).join('')}\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\u007f`;
/** Characters that a terminal interprets, without the line feeds and tabs of the program itself. */
const interpreted = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
/** The details of an object indent the lines of a value further. */
const forged = /(?:^|\n).{0,4}FORGED/;

const row = {
  id: 7,
  iid: 1,
  key: hostile,
  value: hostile,
  environment_scope: hostile,
  description: hostile,
  name: hostile,
  title: hostile,
  username: hostile,
  path: hostile,
  full_path: hostile,
  path_with_namespace: hostile,
  ref: hostile,
  stage: hostile,
  status: 'failed',
  failure_reason: hostile,
  scopes: [hostile],
  version: hostile,
  trigger: hostile,
  response_status: hostile,
  link_url: `https://host.example/${hostile}`,
  image_url: `https://host.example/${hostile}`,
  default: true,
  user: { username: hostile },
  entity_type: 'project',
  source_full_path: hostile,
  destination_full_path: hostile,
  has_failures: true,
};

/** A list for the path of a list, otherwise an object. */
const answer = ({ url }: Request): Canned => {
  const isOne =
    /\/(?:user|version|personal_access_tokens\/self|(?:variables|jobs|pipelines|hooks)\/[^/?]+)(?:\?|$)/;
  const list = url.includes('/projects/2/')
    ? []
    : [row, { ...row, key: 'PLAIN', environment_scope: '*', hidden: false }];
  return { body: JSON.stringify(isOne.test(url) ? row : list) };
};

const token = 'svcpat-9QmX4kTzR2';
const env = { SVC_TOKEN: token, NO_COLOR: '1', TERM: 'xterm', HOME: '/dev/null' };

interface How {
  /** Columns; 0 is a pipe. */
  readonly terminal?: number;
  readonly respond?: (request: Request) => Canned;
  readonly files?: Readonly<Record<string, string>>;
}

async function run(argv: readonly string[], { terminal = 80, respond = answer, files }: How = {}) {
  return svc([...argv, '--base-url', 'https://host.example', '--retries', '0'], {
    env,
    transport: canned(respond),
    ...(files ? { cwd: await folderWith(files) } : {}),
    ...(terminal > 0 ? { terminal } : {}),
  });
}

const state = (value: object) => JSON.stringify({ svc: 1, project: 'acme/rocket', ...value });
const desired = {
  'state.json': state({
    variables: [{ key: 'NEW', value: hostile, description: hostile, environment_scope: hostile }],
    badges: [{ name: hostile, link_url: 'https://a.example', image_url: 'https://a.example/i' }],
  }),
};

const commands = [
  'whoami',
  'doctor',
  'auth status',
  'variables list -p 1',
  'variables export -p 1',
  'variables export -p 1 -o json',
  'variables export -p 1 -o dotenv',
  'variables copy --from 1 --to 2 --dry-run',
  'variables copy --from 1 --to 2 --curl',
  'variables copy --from 1 --to 2 --yes',
  'variables delete KEY -p 1',
  'export variables badges -p 1',
  'export variables badges -p 1 --no-secrets',
  'diff -f state.json --prune',
  'apply -f state.json --dry-run',
  'apply -f state.json --curl',
  'apply -f state.json --prune --yes',
  'jobs digest 1 -p 1',
  'hooks events 1 -g 1',
  'hooks replay 1 -g 1 --dry-run',
  'migrations report 1',
  'each --projects acme/* --dry-run -- variables set KEY HOSTILE',
  'branches delete HOSTILE -p HOSTILE',
  'snippets create -p 1 --title HOSTILE --visibility HOSTILE',
];

describe.each(commands)('%s', (line) => {
  const argv = words(line).map((word) => (word === 'HOSTILE' ? hostile : word));
  it('shows no control character on a terminal', async () => {
    const { out, err } = await run(argv, { files: desired });
    expect(out + err).not.toBe('');
    expect(out + err).not.toMatch(interpreted);
  });

  it('gives the text of a name no line of its own', async () => {
    for (const terminal of [0, 200]) {
      const { out, err } = await run(argv, { files: desired, terminal });
      expect(err).not.toMatch(forged);
      // Values of dotenv can have lines.
      if (!argv.includes('dotenv')) expect(out).not.toMatch(forged);
    }
  });
});

it('asks for a confirmation without a line or a control character of the service', async () => {
  const setting = { env: { NO_COLOR: '1' } };
  const { shown } = await typing(['variables', 'delete', 'KEY', '-p', '1'], 'n\n', setting, answer);
  expect(shown).toContain('Continue?');
  expect(shown).not.toMatch(forged);
  // The line editor of Node moves the cursor itself.
  expect(shown.replace(/\u001b\[\d*[GJ]/g, '').replaceAll('\r\n', '\n')).not.toMatch(interpreted);
});

describe('in a pipe', () => {
  it('dotenv keeps every character of a value', async () => {
    const value = 'a\u001b]0;owned\u0007\u009b31mb';
    const respond = () => ({ body: JSON.stringify([{ key: 'KEY', value, environment_scope: '*' }]) });
    const { out } = await run(['variables', 'export', '-p', '1', '-o', 'dotenv'], { terminal: 0, respond });
    expect(out).toContain(value);
  });

  it('a state file in YAML has the exact values, and comments that no text of the service can end', async () => {
    const { out, code } = await run(['export', 'variables', '-p', '1', '--no-secrets'], { terminal: 0 });
    expect(code).toBe(0);
    const comments = out.split(/\r\n|[\n\r\u0085\u2028\u2029]/).filter((line) => line.startsWith('#'));
    expect(comments).toHaveLength(1);
    expect(comments[0]).toContain('FORGED');
    expect(comments[0]).not.toMatch(interpreted);
    expect(parseYaml(out)).toMatchObject({ variables: [{ key: hostile, description: hostile }, {}] });
  });

  it.each(['--dry-run', '--curl'])('%s has the exact values', async (flag) => {
    const argv = words('snippets create -p 1 --visibility public --content x --file-name a --title');
    const { out } = await run([...argv, hostile, flag], { terminal: 0 });
    expect(out).not.toMatch(interpreted);
    if (flag === '--dry-run') return expect(JSON.parse(out).body.title).toBe(hostile);
    const script = `curl() { printf '%s\\n' "$@"; }; ${out}`;
    const printed = execFileSync('sh', ['-c', script], { env: { SVC_TOKEN: 'T' } }).toString();
    const [body = ''] = printed.split('\n').filter((word) => word.startsWith('{'));
    expect(JSON.parse(body).title).toBe(hostile);
  });
});

describe('a known token that arrives by reference', () => {
  const job = 'svcjob-77LpWq0aB';
  const file = state({
    variables: [{ key: 'NEW', value: { env: 'SVC_TOKEN' }, description: { env: 'SVC_TOKEN' } }],
    badges: [{ name: 'x', link_url: 'https://a.example', image_url: { env: 'SVC_JOB_TOKEN' } }],
  });
  const empty = () => ({ body: '[]' });
  const shows = async (argv: readonly string[], respond: (request: Request) => Canned = empty) => {
    const ran = await svc([...argv, '--base-url', 'https://host.example'], {
      env: { ...env, SVC_JOB_TOKEN: job },
      cwd: await folderWith({ 'state.json': file }),
      transport: canned(respond),
    });
    return { ...ran, shown: ran.out + ran.err };
  };

  const existing = () => ({
    body: JSON.stringify([
      { key: 'NEW', value: 'old', environment_scope: '*', description: 'old' },
      { id: 1, name: 'x', link_url: 'https://b.example', image_url: 'https://b.example' },
    ]),
  });

  it.each([
    ['diff', '-f', 'state.json'],
    ['diff', '-f', 'state.json', '-o', 'json'],
    ['diff', '-f', 'state.json', '-o', 'csv'],
    ['apply', '-f', 'state.json', '--dry-run'],
    ['apply', '-f', 'state.json', '--curl'],
    ['apply', '-f', 'state.json', '--yes'],
    ['api', 'POST', 'projects/1/labels', '-f', `name=${token}`, '--dry-run'],
    ['api', 'POST', 'projects/1/labels', '-f', `name=${token}`, '-H', `x-own: ${job}`, '--curl'],
    ['snippets', 'update', '5', '-p', '1', '--title', `is ${job}`, '--dry-run'],
    ['branches', 'create', 'a', '--ref', token, '-p', '1', '--curl'],
    ['branches', 'delete', token, '-p', '1'],
    ['jobs', 'list', '-p', '1', '--scope', token],
  ])('is masked: %s %s %s %s %s', async (...argv) => {
    for (const respond of [empty, existing]) {
      const { shown } = await shows(argv, respond);
      expect(shown).not.toBe('');
      expect(shown).not.toContain(token);
      expect(shown).not.toContain(job);
    }
  });

  it('is exact in a dry run with --show-secrets, and in data', async () => {
    const shown = await shows(words(`snippets update 5 -p 1 --title ${token} --dry-run --show-secrets`));
    expect(JSON.parse(shown.out).body.title).toBe(token);
    const value = JSON.stringify({ key: 'KEY', value: token, environment_scope: '*' });
    const data = await shows(words('variables get KEY -p 1 --json'), () => ({ body: value }));
    expect(data.out).toContain(token);
  });
});

describe('a word that looks like a token', () => {
  const secrets = [token, 'abcdefghij0123456789', `AbC${'x'.repeat(20)}-9`, '0a'.repeat(20)];
  const flags = ['-o', '--output', '--auth', '--profile', '--color'];
  it.each(flags)('is not repeated as the value of %s', async (flag) => {
    for (const word of secrets) {
      const { code, out, err } = await svc(`jobs list -p 1 ${flag} ${word} --base-url https://host.example`);
      expect([code, err]).toEqual([2, expect.stringContaining('***')]);
      expect(out + err).not.toContain(word);
    }
  });

  it('does not hide ordinary words', async () => {
    for (const word of ['jsonn', 'production-eu-west-1', 'my-company-profile']) {
      const { err } = await svc(['jobs', 'list', '-p', '1', '--profile', word]);
      expect(err).toContain(JSON.stringify(word));
    }
  });
});

describe('svc api rejects a token outside its header', () => {
  const files = { 'token.json': JSON.stringify({ a: 1, private_token: token }) };
  it.each([
    ['api', 'GET', 'projects', '-H', `Deploy-Token: ${token}`],
    ['api', 'GET', 'projects', '-H', `Private_Token: ${token}`],
    ['api', 'GET', `projects?private_token=${token}`],
    ['api', 'GET', `projects?page=2&private%5Ftoken=${token}`],
    ['api', 'GET', 'projects', '-f', `private_token=${token}`],
    ['api', 'POST', 'projects', '-f', `private_token=${token}`],
    ['api', 'POST', 'projects?job_token=x', '-f', 'a=b'],
    ['api', 'GET', 'projects', '-f', `deploy_token=${token}`],
    ['api', 'GET', `projects?a=1;private_token=${token}`],
    ['api', 'GET', `projects?private_token[]=${token}`],
    ['api', 'GET', `projects?access_token=${token}`],
    ['api', 'GET', 'projects', '-f', `access_token=${token}`],
    ['api', 'GET', 'projects', '-f', `private_token[]=${token}`],
    ['api', 'POST', 'projects', '-f', `private_token[a]=${token}`],
    ['api', 'GET', 'projects', '-H', `Ci-Job-Token: ${token}`],
    ['api', 'GET', 'projects', '-H', `X-Private-Token: ${token}`],
    ['api', 'POST', 'projects', '--input', 'token.json'],
  ])('%s %s %s %s %s', async (...argv) => {
    const given = argv.filter((word) => word !== undefined);
    await refused(given, [/token/, /--token-file/], { cwd: await folderWith(files) });
    const { out, err } = await run(argv, { files });
    expect(out + err).not.toContain(token);
  });
});

describe('a command in a hint', () => {
  const evil = "a'; touch /tmp/x; $(id) `id` \n\u001b[2J";
  /** The words of the last command in a text, as bash reads them. */
  const wordsOf = (text: string, start: string): string[] => {
    const [, command = ''] = new RegExp(`(${start}.*)`).exec(text) ?? [];
    const script = `svc() { printf '%s\\0' "$@"; }; ${command}`;
    return execFileSync('bash', ['--norc', '-c', script], { env: {}, stdio: ['ignore', 'pipe', 'inherit'] })
      .toString()
      .split('\0')
      .slice(0, -1);
  };

  /** The message of a command whose resource has a new path. */
  const moved = async (line: string, path: string): Promise<string> => {
    const location = `https://host.example/api/v4/${path}`;
    const respond = () => ({ status: 301, headers: [['location', location] as const] });
    return (await run(words(line), { terminal: 0, respond })).err;
  };

  it('has the new path of a resource as one word', async () => {
    const err = await moved('api POST projects/1/x -f a=b', `${encodeURIComponent(evil)}/x`);
    expect(wordsOf(err, 'svc api')).toEqual(['api', 'POST', `${encodeURIComponent(evil)}/x`]);
  });

  it.each([
    ['api POST projects/1/x -f a=b', '--output-file=README', 'api POST /--output-file=README'],
    ['variables update KEY v -p 1', 'projects/--yes/variables/KEY', '--project=--yes'],
    ['variables update KEY v -p 1', 'projects/1/variables/--yes', 'api PUT projects/1/variables/--yes'],
  ])('of %s has no flag of the new path %s', async (line, path, expected) => {
    const err = await moved(line, path);
    const [, rest = ''] = /repeat the \w+ with (?:the new path: svc )?(.*)/.exec(err) ?? [];
    expect(wordsOf(`svc ${rest}`, 'svc')).toEqual(expected.split(' '));
  });

  it('has the new name of a project as one word', async () => {
    const path = `projects/${encodeURIComponent(evil)}/variables/KEY`;
    const err = await moved('variables update KEY v -p 1', path);
    const [, flag = ''] = /repeat the command with (.*)/.exec(err) ?? [];
    expect(wordsOf(`svc ${flag}`, 'svc')).toEqual(['--project', evil]);
  });

  it('has the id of a new resource as one word', async () => {
    const respond = () => ({ body: JSON.stringify({ id: evil, has_finished: false }) });
    const argv = words('dependency-exports create 1 --wait --wait-timeout 0.05');
    const { err } = await run(argv, { terminal: 0, respond });
    const expected = ['dependency-exports', 'get', evil, '--base-url'];
    expect(wordsOf(err, 'svc dependency-exports get').slice(0, 4)).toEqual(expected);
  });

  it('names what --confirm must be as one word', async () => {
    const { err } = await run(['branches', 'delete-merged', '-p', evil], { terminal: 0 });
    const [, flag = ''] = /requires (--confirm .*) or --yes, because/.exec(err) ?? [];
    expect(wordsOf(`svc ${flag}`, 'svc')).toEqual(['--confirm', evil]);
  });

  it('protects a file whose name a shell would expand', async () => {
    const file = `${await folderWith({ [`t$(id)'x`]: token })}/t$(id)'x`;
    await chmod(file, 0o644);
    const argv = ['whoami', '--base-url', 'https://host.example', '--token-file', file];
    const { err } = await svc(argv, { transport: canned(answer) });
    const [, command = ''] = /run: (chmod .*)/.exec(err) ?? [];
    const read = execFileSync('sh', ['-c', `chmod() { printf '%s' "$2"; }; ${command}`]).toString();
    expect(read).toMatch(/t\$\(id\)'x$/);
  });
});
