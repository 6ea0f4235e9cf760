/** `svc variables export`, `import`, `diff`, `copy` and `exec` against the sandbox. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { variablesFor } from '../../src/tasks/variables/transfer.ts';
import { folderWith } from '../support/folders.ts';
import { canned, jsonLines, svc, words } from '../support/svc.ts';
import { exited, expectCode, refused, stateWorldPerTest, writes, wroteNothing } from './engine/world.ts';

const world = stateWorldPerTest();
let cwd: string;
beforeEach(async () => {
  cwd = await folderWith();
});

const rocket = '-p acme/rocket';
/** Run `svc variables` for a project. */
const run = (line: string) => world.run(`variables ${line} ${rocket}`, { cwd });
const write = (name: string, text: string) => writeFile(join(cwd, name), text);

describe('the variables of a job', () => {
  const rows = [
    ['A', '*', 'any'],
    ['A', 'review/*', 'reviews'],
    ['A', 'review/b*', 'branches'],
    ['A', 'review/b1', 'exact'],
    ['B', 'production', 'only'],
  ].map(([key, environment_scope, value]) => ({ key, environment_scope, value }));

  test.each([
    [undefined, ['any']],
    ['staging', ['any']],
    ['review/x', ['reviews']],
    ['review/b2', ['branches']],
    ['review/b1', ['exact']],
    ['production', ['any', 'only']],
  ])('in %s: exact before long before short before *', (environment, values) => {
    expect(variablesFor(rows, environment).map((row) => row['value'])).toEqual(values);
  });
});

describe('export', () => {
  test('dotenv has the values of scope *, and notes what is hidden', async () => {
    const ran = await exited(0, run('export -o dotenv'));
    expect(ran.out).toBe(
      "DEPLOY_USER=deployer\nAPI_TOKEN=not-a-real-token\nKUBECONFIG='apiVersion: v1\nkind: Config\ncurrent-context: staging\n'\n",
    );
    expect(ran.err).toContain('variable HIDDEN_KEY (scope *)');
  });

  test('dotenv resolves the scopes of an environment, and requires values before anything is read', async () => {
    const ran = await run('export -o dotenv --environment production');
    expect(ran.out).toContain('DATABASE_URL=postgres://db.production\n');
    const none = await refused('--no-secrets', run('export -o dotenv --no-secrets'));
    expect(none.out).toBe('');
  });

  test('dotenv refuses values that it cannot express, and names their keys', async () => {
    await world.run(['variables', 'set', 'BAD', '\'"`#', '-p', 'acme/rocket']);
    const ran = await exited(2, run('export -o dotenv'));
    expect(ran.out).toBe('');
    expect(ran.err).toContain('dotenv cannot express the values of BAD');
  });
});

describe('import and diff', () => {
  test.each([
    ['a state file', 'state.yaml', 'svc: 1\nvariables: [{ key: A, value: one }]\n'],
    ['the JSON of variables list', 'list.json', '[{"key":"A","value":"one","description":null,"own":1}]'],
    ['a dotenv file', 'my.env', 'export A="one" # note\n'],
    ['a dotenv file of an environment', '.env.production', 'A=one\n'],
  ])('read %s', async (_, name, text) => {
    await write(name, text);
    const compared = await exited(10, run(`diff ${name}`));
    expect(compared.out).toContain('+ variable A (scope *)');
    const ran = await exited(0, run(`import ${name} --yes`));
    expect(writes(ran)).toHaveLength(1);
    await exited(0, run(`diff ${name}`));
  });

  test.each([
    ['an error response', '{"message":"401 Unauthorized"}', 1],
    ['a page of HTML', '<!doctype html>\n<p>Sign in</p>\n', 1],
    ['a name without a value', '# settings\r\nA=1\r\n\r\nexport B\r\n', 4],
    ['a name with a space', 'A=1\nmy key=2\n', 2],
    ['text after a value of several lines', 'A="one\n\ntwo"\n  three\n', 4],
    ['a value of several lines that is not closed', "A='one\ntwo\n", 1],
    ['a name that starts with a digit', 'A=1\n\n1A=2\n', 3],
    ['a name with a period', 'A.B=1\n', 1],
    ['a quote that is not closed', 'A=1\nB="unterminated\nC=3\n', 2],
    ['a quote that is not closed before a comment', "A='it # it's\n", 1],
    ['text after a quote', 'A="one" two\n', 1],
  ])('reject a dotenv file with %s, with the number of the line', async (_, text, line) => {
    await write('f.env', text);
    const message = new RegExp(`^error: f.env:${line}: expected NAME=value or a comment\n`);
    for (const command of ['import f.env --yes', 'import f.env --yes --prune', 'diff f.env']) {
      const ran = await refused(message, run(command));
      expect(ran.err).not.toContain(text.trim());
    }
  });

  test('accept every form of dotenv', async () => {
    const text = `
  # comment
A=1
 export  B = two words # comment
C='one
# not a comment
two' # comment
D="a \\"quote\\"
end"
E=\`x
y\`
F=
G: seven
H='it's'
I=it's
\t`;
    await write('f.env', text);
    const ran = await exited(10, run("diff f.env -o json --jq '.[].identity.key' -r"));
    expect(ran.out.trim().split('\n')).toEqual([...'ABCDEFGHI']);
  });

  test.each([
    ['empty.env', ''],
    ['comments.env', '# nothing\n'],
    ['group.yaml', 'svc: 1\ngroup: acme\nhooks: []\n'],
  ])('reject %s, which has no variables', async (name, text) => {
    await write(name, text);
    for (const command of ['import --yes --prune', 'import --yes', 'diff'])
      await refused(`${name} has no variables`, run(`${command} ${name}`));
  });

  test('refuse csv, and name the command that sets its variables', async () => {
    await write('v.csv', 'key,value\nA,"one, two"\nB,three\n');
    const { err } = await refused('error: v.csv: csv and tsv are not read\n', run('import v.csv --yes'));
    const [, hint = ''] = /^hint: to set its variables, use svc (.*)$/m.exec(err) ?? [];
    await exited(0, world.run(words(hint.replace('each', 'each --journal j')), { cwd }));
    expect((await run('get A --jq .value -r')).out).toBe('one, two\n');
  });

  test('refuse to delete all variables because a list has none, unless a state file declares none', async () => {
    await write('list.json', '[]');
    const message = 'has no variables, and --prune would delete all of them';
    for (const command of ['import --yes', 'diff'])
      await refused(message, run(`${command} list.json --prune`));
    await exited(0, run('import list.json --yes'));
    await write('none.json', '{"svc":1,"variables":[]}');
    const ran = await exited(0, run('import none.json --prune --yes'));
    expect(writes(ran).length).toBeGreaterThan(0);
  });

  const others = ['{"message":"401 Unauthorized"}', '[{"message":"401 Unauthorized"}]', 'null', '"text"'];
  test.each(others)('reject a JSON file that contains %s', async (text) => {
    await write('f.json', text);
    await refused('f.json', run('import f.json --prune --yes'));
  });

  test('import only the variables of a state file', async () => {
    await write('a.yaml', 'svc: 1\nvariables: []\napprovals: { reset_approvals_on_push: false }\n');
    await wroteNothing(0, run('import a.yaml --yes'));
  });
});

const texts = ['one line\n', 'one line\r\n', 'two\nlines\n', '\n'];
test.each(texts)(
  '%j in a file: a secret of one line loses its terminator, other text is exact',
  async (text) => {
    await write('in.txt', text);
    const secret = 'variables: [{ key: FROM_FILE, value: { file: in.txt }, description: { file: in.txt } }]';
    const page = 'wikis: [{ title: From file, content: { file: in.txt } }]';
    const state = `svc: 1\nproject: acme/rocket\n${secret}\n---\nsvc: 1\ngroup: acme\n${page}\n`;
    await write('state.yaml', state);
    const ran = await world.run('apply -f state.yaml --dry-run --show-secrets', { cwd });
    expect(jsonLines(ran.out).map((line) => line.body)).toEqual([
      expect.objectContaining({ value: text.replace(/^([^\n]*?)\r?\n$/, '$1'), description: text }),
      expect.objectContaining({ content: text }),
    ]);
  },
);

describe('copy', () => {
  test('copies to several projects; hidden values are listed, exit 11; a second run sends nothing', async () => {
    const line = 'variables copy --from acme/rocket --to acme/website --to acme/labs/probe --yes';
    const ran = await exited(11, world.run(line));
    expect(writes(ran)).toHaveLength(10);
    expect(ran.err).toContain('not copied, because its value is hidden: variable HIDDEN_KEY (scope *)');
    await wroteNothing(11, world.run(line));
  });

  test('--prune deletes what the source does not have, but no hidden variable of the source', async () => {
    await world.run('variables create OTHER x -p acme/website');
    await world.run('variables create HIDDEN_KEY kept -p acme/website');
    const ran = await world.run('variables copy --from acme/rocket --to acme/website --prune --yes');
    expect(writes(ran).filter((one) => one.startsWith('DELETE'))).toEqual([
      'DELETE /projects/acme%2Fwebsite/variables/OTHER?filter%5Benvironment_scope%5D=%2A',
    ]);
  });

  test('a project that is named in two ways is copied to once, with a warning', async () => {
    const { id } = await world.json('api projects/acme%2Fwebsite');
    const targets = `--to acme/website --to ${id} --to ACME/website`;
    const ran = await exited(11, world.run(`variables copy --from acme/rocket ${targets} --prune --yes`));
    expect(ran.err).toContain('warning: --to names a project more than once; it is copied once');
    expect(writes(ran).filter((line) => line.startsWith('POST'))).toHaveLength(5);
  });

  test.each([
    'variables copy --to acme/website --yes',
    'variables copy --from acme/rocket --yes',
    'variables copy --from a --from b --to acme/website --yes',
    'variables copy --from acme/rocket --to acme/rocket --yes',
  ])('%s is a usage error', async (line) => {
    await exited(2, world.run(line));
  });
});

describe('exec', () => {
  test('variables of type file with names that differ in case only are separate files', async () => {
    for (const key of ['Cert', 'CERT', 'NUL'])
      await exited(0, run(`set ${key} "of ${key}" --variable-type file`));
    const names = 'for path in "$Cert" "$CERT" "$NUL"; do echo "$path"; done | tr A-Z a-z | sort -u | wc -l';
    const texts = 'test "$(cat "$Cert")$(cat "$CERT")$(cat "$NUL")" = "of Certof CERTof NUL"';
    const argv = ['variables', 'exec', '-p', 'acme/rocket', '--', 'sh', '-c'];
    await exited(0, world.run([...argv, `${texts} && test "$(${names})" -eq 3`], { cwd }));
  });

  test('gives a command the variables, and files that are removed afterwards; its exit code is returned', async () => {
    const script =
      'printf %s "$DATABASE_URL" > url; stat -c %a "$KUBECONFIG" > mode; echo "$KUBECONFIG" > path; cat "$KUBECONFIG" > content; exit 7';
    const argv = words('variables exec -p acme/rocket --environment production -- sh -c');
    const env = { PATH: process.env['PATH'] ?? '' };
    await exited(7, world.run([...argv, script], { cwd, env }));
    const read = (name: string) => readFile(join(cwd, name), 'utf8');
    expect(await read('url')).toBe('postgres://db.production');
    expect(await read('mode')).toBe('600\n');
    expect(await read('content')).toBe('apiVersion: v1\nkind: Config\ncurrent-context: staging\n');
    expect(existsSync((await read('path')).trim())).toBe(false);
  });

  test('includes the variables of groups, which those of the project replace', async () => {
    const seen = 'variables exec -p acme/website -- sh -c';
    await exited(0, world.run([...words(seen), 'test "$LOG_LEVEL" = info'], { cwd }));
    await exited(0, world.run('variables set LOG_LEVEL own -p acme/website'));
    await exited(0, world.run([...words(seen), 'test "$LOG_LEVEL" = own'], { cwd }));
  });

  /** Run `sh` on a project with these variables, whose names need not be those that the service accepts. */
  const exec = (script: string, variables: Readonly<Record<string, string>>, ...flags: string[]) => {
    const rows = Object.entries(variables).map(([key, value]) => ({ key, value, environment_scope: '*' }));
    const env = { SVC_BASE_URL: 'http://host.example', SVC_TOKEN: 'token', OWN: 'of the caller' };
    return svc(['variables', 'exec', '-p', 'x', ...flags, '--', 'sh', '-c', script], {
      transport: canned(({ url }) => ({ body: url.includes('/variables') ? JSON.stringify(rows) : '{}' })),
      cwd,
      env: { ...env, PATH: process.env['PATH'] ?? '' },
    });
  };

  test.each([
    ...words('PATH Path ENV BASH_ENV BASH_FUNC_ls%% LD_PRELOAD DYLD_INSERT_LIBRARIES NODE_OPTIONS'),
    ...words('PYTHONPATH PYTHONSTARTUP PERL5OPT RUBYOPT JAVA_TOOL_OPTIONS GIT_SSH_COMMAND GIT_CONFIG_COUNT'),
    ...words('SVC_BASE_URL SVC_TOKEN_COMMAND EDITOR HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR BUN_BE_BUN'),
    ...words('MAKEFLAGS GNUMAKEFLAGS LESSOPEN LESSCLOSE MANPAGER npm_config_script_shell NPM_CONFIG_PREFIX'),
    ...words('OPENSSL_CONF LUA_INIT LUA_INIT_5_4 DOTNET_STARTUP_HOOKS RUSTC_WRAPPER RUSTC VIMINIT EXINIT'),
    ...words('NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED GIT_DIR GIT_SSL_NO_VERIFY'),
    ...['PATH=/tmp', '', 'A B', 'NODE_PATH=x', 'A\u0000B'],
  ])('does not start a command with the variable %j, unless --allow-unsafe-names is given', async (name) => {
    const ran = await exited(2, exec('echo started > started', { FINE: 'x', [name]: '' }));
    expect(ran.err).toContain(`variables change how programs start: `);
    expect(ran.err).not.toContain('FINE');
    expect(ran.err).toContain('--allow-unsafe-names');
    expect(existsSync(join(cwd, 'started'))).toBe(false);
    // No environment can contain the last one.
    const allowed = await exec(': > started', { FINE: 'x', [name]: '' }, '--allow-unsafe-names');
    expectCode(allowed, name.includes('\u0000') ? 2 : 0);
  });

  const harmless = words('GIT_DEPTH PYTHONUNBUFFERED NODE_ENV RUSTFLAGS ENVIRONMENT PATHS MY_PATH 1A');
  test.each(harmless)('starts a command with the variable %s', async (name) => {
    await exited(0, exec('test "$OWN" = "of the caller"', { [name]: 'x' }));
  });

  test('finds the command with the PATH of the caller, also if the command gets another', async () => {
    await writeFile(join(cwd, 'sh'), '#!/bin/sh\necho planted > planted\n', { mode: 0o755 });
    const path = `${cwd}:/nowhere`;
    await exited(0, exec('echo "$PATH" > path', { PATH: path }, '--allow-unsafe-names'));
    expect(existsSync(join(cwd, 'planted'))).toBe(false);
    expect(await readFile(join(cwd, 'path'), 'utf8')).toBe(`${path}\n`);
  });

  describe('folders of runs that were killed', () => {
    const { TMPDIR } = process.env;
    afterEach(() => {
      if (TMPDIR === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = TMPDIR;
    });
    // A process that has ended, and this one.
    const dead = () => spawnSync('true').pid;
    const name = (pid: number) => `svc-exec-${pid}-${randomUUID()}`;
    const left = async () => {
      process.env['TMPDIR'] = cwd;
      await exited(0, exec('true', {}));
      return (await readdir(cwd)).sort();
    };

    test('are not needed without variables of type file, also if the folder for them cannot be written', async () => {
      process.env['TMPDIR'] = join(cwd, 'absent');
      await exited(0, exec('true', { A: 'x' }));
    });

    test('are removed by the next run, with their locks', async () => {
      const folder = join(cwd, name(dead()));
      await mkdir(folder, { mode: 0o700 });
      await writeFile(join(folder, 'CERT'), 'secret');
      const outside = join(cwd, 'outside');
      await mkdir(outside);
      await symlink(outside, join(folder, 'link'));
      await writeFile(join(outside, 'kept'), '');
      expect(await left()).toEqual(['outside']);
      expect(existsSync(join(outside, 'kept'))).toBe(true);
    });

    test('stay if their process runs, updates its lock, or did not create them', async () => {
      const running = name(process.pid);
      const updated = name(dead());
      const link = name(dead());
      const file = name(dead());
      const edit = `svc-edit-${dead()}-${randomUUID()}`;
      const others = ['svc-exec-1', `svc-exec-x-${randomUUID()}`, edit, 'target'];
      for (const one of [running, updated, ...others]) await mkdir(join(cwd, one));
      // As of a process in a container: its number is not known here.
      await write(`${updated}.lock`, `${dead()} id elsewhere`);
      await symlink(join(cwd, 'target'), join(cwd, link));
      await write(file, '');
      const before = [running, updated, `${updated}.lock`, link, file, ...others].sort();
      expect(await left()).toEqual(before);
      const old = new Date(Date.now() - 60_000);
      await utimes(join(cwd, `${updated}.lock`), old, old);
      expect(await left()).toEqual(before.filter((one) => !one.startsWith(updated)));
    });
  });

  test('requires a command; reports a command that does not exist', async () => {
    await exited(2, run('exec'));
    await exited(2, world.run(['variables', 'exec', '-p', 'acme/rocket', '--', '/nope'], { cwd }));
  });
});
