/** `--rehearse`: a command runs four times in a copy, and only reads are sent to the service (insight.md, section 5). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../../support/folders.ts';
import { exited, expectCode, refused, stateWorldPerTest, writes, wroteNothing } from '../engine/world.ts';

const world = stateWorldPerTest();
const project = 'svc: 1\nproject: acme/rocket\n';
const rehearse = 'apply -f - --rehearse';
const good = `${project}variables: [{ key: LOG_LEVEL, value: debug }]
protected_branches: [{ name: main, push_access_level: 0 }]
`;

describe('svc apply --rehearse', () => {
  test('prints what would be sent, and whether the four runs end in the same state', async () => {
    const ran = await exited(0, world.state(rehearse, good));
    expect(ran.out).toBe(`Rehearsed in a copy of acme/rocket (9 resources read).
  2 requests: 1 create, 1 update, 0 delete
  repeated: 0 requests · with faults: same state · interrupted and resumed: same state, 0 duplicates
  0 webhooks would receive 0 events
`);
    expect(writes(ran)).toEqual([]);
    await exited(10, world.state('diff -f -', good));
  });

  test('leaves out the ids of protected branches, which differ in a copy', async () => {
    await world.run('branches unprotect main -p acme/rocket --yes');
    await world.run('branches protect main -p acme/rocket');
    const exported = await world.run('export approval_rules -p acme/rocket');
    const ran = await exited(0, world.state(rehearse, exported.out));
    expect(ran.err).toContain('protected_branch_ids are left out');
  });

  test('runs in read-only mode; the audit log has no write', async () => {
    const audit = join(await folderWith(), 'audit.ndjson');
    await exited(0, world.state(`${rehearse} --read-only`, good, undefined, { SVC_AUDIT_LOG: audit }));
    const log = await readFile(audit, 'utf8').catch(() => '');
    expect(log).not.toMatch(/POST|PUT|PATCH|DELETE/);
  });

  test.each(['--trace', '-o json', '-o ndjson', '--verbose'])('prints no secret with %s', async (flag) => {
    const file = `${project}variables: [{ key: API_TOKEN, value: n3w-secret-value, masked: true }]\nhooks: []\n`;
    const ran = await exited(0, world.state(`${rehearse} ${flag}`, file));
    expect(ran.out + ran.err).not.toMatch(/n3w-secret|not-a-real-token/);
  });

  test('as JSON', async () => {
    const ran = await world.state(`${rehearse} -o json`, good);
    expect(JSON.parse(ran.out)).toEqual({
      targets: [{ project: 'acme/rocket' }],
      resources: 9,
      ...{ requests: 2, create: 1, update: 1, delete: 0, repeated: 0 },
      ...{ same_with_faults: true, same_when_resumed: true, duplicates: 0, webhooks: 0, events: 0 },
      differences: [],
      not_copied: ['acme/rocket: values replaced by placeholders: variable HIDDEN_KEY (scope *)'],
    });
  });

  test('finds a file that is never done: the service removes spaces around a name', async () => {
    const rule = '{ name: " Padded ", approvals_required: 1 }';
    const ran = await exited(9, world.state(rehearse, `${project}approval_rules: [${rule}]\n`));
    expect(ran.out).toMatch(/repeated: 1 request /);
    expect(ran.out).toContain('! repeated: create approval rule  Padded : ');
  });

  test('finds a deletion that a failed creation prevents', async () => {
    const file = `${project}variables: [{ key: SHORT, value: ab, masked: true }]\n`;
    const ran = await wroteNothing(9, world.state(`${rehearse} --prune`, file));
    expect(ran.out).toContain('! failed: create variable SHORT (scope *): ');
    const kept = 'delete variable API_TOKEN (scope *): a variable could not be created';
    expect(ran.out).toContain(`! not started: ${kept}`);
  });

  test('deletes what absent matches in the copy', async () => {
    const file = `${project}badges: { absent: [{ name: b* }], entries: [{ name: coverage }] }\n`;
    expect((await exited(0, world.state(rehearse, file))).out).toContain('1 delete\n  repeated: 0 requests');
  });

  test('counts the events that webhooks would receive', async () => {
    const file = `svc: 1
group: acme
hooks: [{ url: http://127.0.0.1:9/wiki, wiki_page_events: true }]
wikis: [{ title: New page, content: Text }, { title: Another, content: Text }]
`;
    const ran = await exited(0, world.state(rehearse, file));
    expect(ran.out).toContain('1 webhook would receive 2 events');
  });

  test('what would be rejected before anything is sent is rejected, exit 2', async () => {
    const ran = await world.state(`${rehearse} --prune --max-deletes 1`, `${project}variables: []\n`);
    expectCode(ran, 2);
    expect(ran.err).toContain('--max-deletes 1');
  });

  const others = ['--dry-run', '--curl', '--save-plan plan.ndjson', '--plan plan.ndjson'];
  test.each(others)('with %s is a usage error; no file is written', async (flag) => {
    const cwd = await folderWith({ 'a.yaml': good });
    await refused('--rehearse', world.run(`apply -f a.yaml --rehearse ${flag}`, { cwd }));
    await expect(readFile(join(cwd, 'plan.ndjson'))).rejects.toThrow('ENOENT');
  });

  test('of a project that does not exist, exit 5', async () => {
    await exited(5, world.state(rehearse, good.replace('acme/rocket', 'acme/none')));
  });
});

describe('svc each --rehearse', () => {
  const each = async (words: string) => {
    const cwd = await folderWith({
      'projects.txt': 'acme/rocket\nacme/website\n',
      'rows.csv': 'project,key\nacme/rocket,A\nacme/website,B\n',
      'typo.txt': 'acme/nosuch\n',
      'a.yaml': 'svc: 1\nvariables: []\n',
      'b.yaml':
        'svc: 1\nvariables: [{ key: LOG_LEVEL, value: debug }]\nprotected_branches: [{ name: main, push_access_level: 0 }]\n',
      'bad.yaml': 'svc: 1\nvariables: [{ key: BAD, value: "x y", masked: true }]\n',
    });
    return world.run(`each --rehearse ${words}`, { cwd });
  };

  test('a command that converges: exit 0, without a write, a journal or a question', async () => {
    const ran = await wroteNothing(
      0,
      each('--read-only --projects projects.txt -- variables set LOG_LEVEL debug'),
    );
    const title = /^Rehearsed in a copy of acme\/rocket and 1 more target \(\d+ resources read\)\.\n/;
    expect(ran.out).toMatch(title);
    // No project has the variable: each PUT gets 404, and a POST creates it.
    expect(ran.out).toContain('4 requests: 2 create, 0 update, 0 delete');
    expect(ran.out).toContain('with faults: same state · interrupted and resumed: same state, 0 duplicates');
    expect(ran.err).not.toContain('Journal');
  });

  test('a state file: what it declares is compared in the copy; exit 9 for a change that the service rejects', async () => {
    const ran = await wroteNothing(0, each('--projects projects.txt -- apply -f b.yaml'));
    expect(ran.out).toContain('4 requests: 2 create, 2 update, 0 delete');
    expect(ran.out).toContain('repeated: 0 requests · with faults: same state');
    const bad = await wroteNothing(9, each('--projects projects.txt -- apply -f bad.yaml'));
    expect(bad.out).toMatch(/^ {2}! acme\/website: .*1 failed/m);
  });

  test('a state file for a project that does not exist, exit 5; rows name the projects', async () => {
    await wroteNothing(5, each('--projects typo.txt -- apply -f b.yaml'));
    const ran = await exited(0, each('--rows rows.csv -- variables set {key} debug --project {project}'));
    expect(ran.out).toContain('acme/rocket and 1 more target');
  });

  test('finds creations that a lost response repeats, and failures, exit 9', async () => {
    const badge = '--name x --link-url https://a.example --image-url https://a.example/b.svg';
    const ran = await wroteNothing(9, each(`--projects projects.txt -- badges create ${badge}`));
    expect(ran.out).toContain('! repeated: acme/rocket: badge x exists 2 times');
    expect(ran.out).toMatch(/with faults: another state/);
    const command = 'variables delete DATABASE_URL --environment-scope staging';
    const failed = await exited(9, each(`--projects projects.txt -- ${command}`));
    expect(failed.out).toContain('2 requests: 0 create, 0 update, 1 delete');
    expect(failed.out).toContain('! acme/website: 404 Variable Not Found');
    const again = await exited(9, each('--projects projects.txt -- variables create NEW_KEY x'));
    expect(again.out).toMatch(/^ {2}! repeated: acme\/rocket: .*400/m);
  });

  test.each([
    ['--projects projects.txt -- jobs list', 'only reads'],
    ['--projects projects.txt -- branches delete main', 'svc export does not include'],
    ['--projects projects.txt -- apply -f a.yaml --rehearse', '--rehearse cannot be used after --'],
    ['--projects projects.txt -- apply -f a.yaml --save-plan p-{target}', '--plan or --save-plan'],
    ['--projects projects.txt --dry-run -- variables set A b', 'cannot be used with --dry-run'],
    ['--projects projects.txt --journal j -- variables set A b', '--journal'],
    ['--projects projects.txt -- variables exec -- true', 'has no dry run'],
  ])('%s is a usage error', async (words, message) => {
    await refused(message, each(words));
  });
});

test('svc copy --rehearse shows what a copy would do', async () => {
  const copy = 'copy badges protected_branches --from acme/rocket --to acme/website';
  const ran = await wroteNothing(0, world.run(`${copy} --rehearse`));
  expect(ran.out).toContain('3 requests: 3 create, 0 update, 0 delete');
});
