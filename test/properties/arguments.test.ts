/** Values are read unchanged, even if they look like a flag, the end of flags, a file or JSON. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommandLine } from '../../src/cli/argv/parse.ts';
import { parseCommand } from '../../src/cli/argv/parse.ts';
import { createReader, readValue } from '../../src/cli/argv/values.ts';
import { lookUp } from '../../src/cli/catalogue.ts';
import type { Command } from '../../src/spec/command.ts';
import { text } from '../../src/spec/field.ts';
import { forAll, forAllAsync } from '../support/runs.ts';

async function commandOf(area: string, name: string): Promise<Command> {
  return (await lookUp.find({ area, command: name })).command as Command;
}

const create = await commandOf('variables', 'create');
const jobs = await commandOf('jobs', 'list');

const tricky = `- -- --- --help -h --masked --masked=false --no-masked --key=x -p -o=json -p=1
  --description __proto__ constructor true null`.split(/\s+/);

/** Any text, and often text that a parser could misinterpret. */
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...'-=@,:{}[]"\'\\ \n\tapo'), maxLength: 8 }),
  fc.constantFrom('', ...tricky),
);

/** The own properties of the fields, without inherited ones. */
const fieldsOf = (line: CommandLine) => ({ ...line.fields });

describe('a value of a flag', () => {
  it('is unchanged after a space or an equals sign', () => {
    forAll(value, value, fc.boolean(), (one, other, tied) => {
      const line = parseCommand(create, [
        'KEY',
        ...(tied ? [`--environment-scope=${one}`] : ['--environment-scope', one]),
        '--masked=false',
        ...(tied ? ['--description', other] : [`--description=${other}`]),
      ]);
      expect(fieldsOf(line)).toEqual({ environment_scope: one, masked: false, description: other });
      expect(line.args).toEqual({ key: 'KEY' });
    });
  });

  it('provides no argument if it is --data', () => {
    expect(() => parseCommand(create, ['--description', '--data'])).toThrow('<key> is missing');
    expect(parseCommand(create, ['--data', '{}']).args).toEqual({});
  });

  it('is unchanged for flags of the program and the scope', () => {
    forAll(value, value, (project, url) => {
      const line = parseCommand(jobs, ['-p', project, '--base-url', url, `--profile=${project}`, '--all']);
      expect(line.project).toBe(project);
      expect({ ...line.options }).toEqual({ baseUrl: url, profile: project, all: true });
    });
  });

  it('keeps repeated values in order', () => {
    forAll(fc.array(value, { minLength: 1, maxLength: 5 }), (all) => {
      const line = parseCommand(
        jobs,
        all.flatMap((one) => ['--scope', one]),
      );
      expect(line.fields['scope']).toEqual(all);
    });
  });
});

describe('an argument', () => {
  it('is unchanged after --', () => {
    forAll(value, value, (key, content) => {
      const line = parseCommand(create, ['--masked', '--', key, content]);
      expect(line.args).toEqual({ key, value: content });
      expect(fieldsOf(line)).toEqual({ masked: true });
    });
  });

  it('is unchanged if it does not begin with a dash', () => {
    forAll(value, value, (key, content) => {
      fc.pre(!key.startsWith('-') && !content.startsWith('-'));
      expect(parseCommand(create, [key, content]).args).toEqual({ key, value: content });
    });
  });
});

describe('the value of a parameter', () => {
  const nothing = { stdin: process.stdin, cwd: '/nonexistent' };

  it('is unchanged if the parameter accepts no files', async () => {
    await forAllAsync(value, async (typed) => {
      const read = await readValue(typed, text('x'), '--x', createReader(nothing));
      expect(read).toBe(typed);
    });
  });

  it('is unchanged after @@ or without @ if the parameter accepts files', async () => {
    await forAllAsync(value, async (typed) => {
      fc.pre(typed !== '-');
      const given = typed.startsWith('@') ? `@${typed}` : typed;
      const read = await readValue(given, text('x', { long: true }), '--x', createReader(nothing));
      expect(read).toBe(typed);
    });
  });

  it('of a key is everything after the first =', async () => {
    const hash = { kind: 'hash', doc: 'x' } as const;
    const key = fc.stringMatching(/^[a-z_]{1,12}$/);
    await forAllAsync(key, value, async (name, typed) => {
      const read = await readValue([`${name}=${typed}`], hash, '--not', createReader(nothing));
      expect(Object.entries(read as object)).toEqual([[name, typed]]);
    });
  });
});
