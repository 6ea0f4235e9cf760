import { describe, expect, test } from 'vitest';
import { refusal, refused } from '../interface/service.ts';
import { svc } from '../support/svc.ts';

/** No base URL and no token. */
const nowhere = { SVC_BASE_URL: '', SVC_TOKEN: '' };
const p = '--project acme/rocket --base-url http://127.0.0.1:9 --dry-run';

const migration =
  'migrations create --base-url http://127.0.0.1:9 --dry-run --configuration url=http://127.0.0.1:8';

describe('suggests the nearest known word before sending', () => {
  test.each([
    ['completion install powershel', 'powershell'],
    ['exit-codes', 'svc help exit-codes'],
    ['flags', 'svc help flags'],
    [`jobs list ${p} --scop failed`, '--scope'],
    ['--jsn jobs list', '--json'],
    ['jobs --sandbx list', '--sandbox'],
    [`jobs list ${p} --scope success,faild`, 'failed'],
    [`jobs list ${p} --output jsn`, 'json'],
    [`jobs list ${p} --auth jb`, 'job'],
    [`jobs list ${p} --time relativ`, 'relative'],
    ['sandbox start --spam rejct', 'reject'],
    [`variables create KEY value ${p} --variable-type fil`, 'file'],
    [`variables get KEY ${p} --filter environmnt_scope=x`, 'environment_scope'],
    [`${migration} --entity source_typ=group_entity`, 'source_type'],
  ])('svc %s', async (line, right) => {
    await refused(line, [`hint: Did you mean ${right}?`], { env: { ...nowhere, SVC_SOURCE_TOKEN: 'x' } });
  });

  test.each([
    ['jobs list -n 3', '-L'],
    ['jobs list --status failed', '--scope'],
    ['--verison', '--version'],
    ['listen', 'svc hooks listen'],
    ['search code x', 'find'],
    ['files meta README.md', 'head'],
    ['jobs rerun 5268', 'retry'],
    ['jobs run 5262', 'play'],
    ['pipelines watch 1012', 'svc jobs watch <pipeline-id>'],
    ['retry 5268', 'one of svc jobs retry, svc pipelines retry'],
    ['variables set A=b', 'svc variables set A b'],
    ['each --projects x --limit=1 -- jobs list', 'svc each --projects <file> -- <command> --limit'],
    ['variables set A=longer-than-seven', 'svc variables set A <value>'],
    ['variables update A=s3cret c', 'svc variables set A <value>'],
    ['jobs list 1012', 'svc jobs for-pipeline 1012'],
    ['jobs list --scope failed 1012', 'svc jobs for-pipeline 1012'],
    ['users get mia', 'svc users list --username mia'],
    ['jobs list 1012 -p acme/rocket --sandbox', 'svc jobs for-pipeline 1012 --project acme/rocket --sandbox'],
  ])('svc %s', async (line, right) => {
    const err = await refusal(line, [], { env: { SVC_PROJECT: '1' } });
    expect(err.match(/Did you mean .*/g)).toEqual([`Did you mean ${right}?`]);
    expect(err).not.toContain('s3cret');
  });

  test('suggests to empty a setting, not to remove the profile', () =>
    refused('profiles unset project', ['hint: Did you mean svc profiles set <setting> ""?']));

  test.each(['alias', 'help alias', 'repeat'])('offers no unrelated word: %s', async (line) => {
    expect(await refusal(line)).not.toContain('Did you mean');
  });

  test('offers svc api only if no command is similar', async () => {
    expect((await svc('variable list')).err).not.toContain('svc api');
    expect((await svc('zzzzzzzz')).err).toContain('hint: use "svc api"');
  });

  test('names the flag of a row, its position if there are several, and the key', async () => {
    const good =
      '--entity source_type=group_entity,source_full_path=a,destination_slug=a,destination_namespace=b';
    const env = { SVC_SOURCE_TOKEN: 'x' };
    const one = await svc(`${migration} --entity source_type=group_entity`, { env });
    expect(one.err).toMatch(/^error: --entity source_full_path is missing\n/);
    const two = await svc(`${migration} ${good} --entity source_type=group_entity`, { env });
    expect(two.err).toMatch(/^error: --entity 2 source_full_path is missing\n/);
  });

  test('does not compare the hyphens of flags, or suggest the only choice', async () => {
    const unknown = await svc(`migrations list --order x --base-url http://127.0.0.1:9`);
    expect(unknown.err).not.toMatch(/--wrap|--quiet/);
    const { err } = await svc(`jobs list ${p} --sort asc`);
    expect(err).toBe('error: --sort must be desc, not "asc"\n');
  });
});

describe('flags before the command', () => {
  test('rejects a flag of a command instead of printing help', () =>
    refused('jobs --scope failed list', ['put flags after the command']));

  test.each(['--json', 'jobs --json', 'jobs --scope failed --help'])(
    'prints help for svc %s',
    async (line) => {
      const { code, out } = await svc(line);
      expect(code).toBe(0);
      expect(out).toContain('Usage:');
    },
  );
});
