/** Laws over what the catalogue tells people: summaries, docs and examples. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { areas } from '../src/api/index.ts';
import { resources } from '../src/api/resources.ts';
import { toolsOf } from '../src/cli/builtin/mcp/tools.ts';
import { lookUp } from '../src/cli/catalogue.ts';
import { manPages } from '../src/docs/man/man.ts';
import { argumentsOf, commandName } from '../src/spec/command.ts';
import { choicesOf } from '../src/spec/field.ts';
import { kebab, rowFlag, withArticle } from '../src/spec/names.ts';
import { loadManual } from './docs/catalogue.ts';
import { breaking, calls, everyField, fieldsOf, flagsOf, globalFlags, law } from './support/catalogue.ts';
import { svc } from './support/svc.ts';

const verbs =
  `List Show Create Change Delete Add Remove Print Commit Copy Stop Download Upload Start Try Send Set
  Turn Open Count Protect Preview Resend Cancel Retry`.split(/\s+/);

describe('words', () => {
  law(
    'has a summary that starts with a verb, ends without a full stop, and fits a line',
    ({ endpoint: { summary } }) => {
      const [first] = summary.split(' ', 1) as [string];
      const ok = verbs.includes(first) && !summary.endsWith('.') && summary.length <= 72;
      return !ok && summary;
    },
  );

  it('has one line for each area, without a full stop', () => {
    expect(areas.filter(({ summary }) => summary.length > 60 || summary.endsWith('.'))).toEqual([]);
  });

  law('says something of every field, without a full stop', ({ endpoint }) =>
    fieldsOf(endpoint)
      .filter(([, { doc }]) => doc.trim() === '' || /[.:]$/.test(doc) || !/^[A-Z]|^[a-z_]+[ ,:]/.test(doc))
      .map(([name, { doc }]) => `${name}: ${JSON.stringify(doc)}`),
  );

  law('says more of a parameter than its name', ({ endpoint }) => {
    const letters = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');
    return everyField(endpoint.takes)
      .filter(([name, { doc }]) => letters(name.replace(/.*\[(\w+)\]$/, '$1')) === letters(doc))
      .map(([name]) => name);
  });

  it('ends what is said of a call or an area with a full stop', () => {
    expect(breaking(({ endpoint: { doc } }) => doc !== undefined && !/[.]$/.test(doc) && doc)).toEqual([]);
    expect(breaking(({ area: { doc } }) => doc !== undefined && !/[.]$/.test(doc) && doc)).toEqual([]);
  });

  it('has articles that fit in each page, tool, confirmation and error', async () => {
    const kinds = await Promise.all(Object.values(resources).map((load) => load()));
    const ofErrors = kinds.flatMap(({ kind, identity }) =>
      ['project: a/b', 'group: a', 'instance: true'].map(async (target) => {
        const entry = identity.length > 0 ? '[{ nope: 1 }]' : '{ nope: 1 }';
        return (await svc('diff -f -', { stdin: `svc: 1\n${target}\n${kind}: ${entry}\n` })).err;
      }),
    );
    const texts = [
      ...manPages(await loadManual()).values(),
      ...(await toolsOf(areas, true, lookUp)).map(({ definition }) => JSON.stringify(definition)),
      ...calls.map(({ endpoint }) => endpoint.done ?? ''),
      ...kinds.map(({ noun }) => withArticle(noun)),
      ...(await Promise.all(ofErrors)),
    ];
    const plurals = kinds.flatMap(({ noun }) => (noun.endsWith('settings') ? [noun] : []));
    const wrong = new RegExp(
      `\\b[Aa] (?:[aeio]|u(?!n?[is]))\\w*|\\b[Aa]n (?!hour|ndjson|npm|svc)[^aeiou\\W\\dA-Z]\\w*|\\b[Aa]n? (?:new )?(?:${plurals.join('|')})|settingses`,
      'g',
    );
    expect(plurals.length).toBeGreaterThan(3);
    expect(texts.flatMap((text) => text.match(wrong) ?? [])).toEqual([]);
    expect('a approval, an badge, an hour, a user, a epic, a approval settings'.match(wrong)).toHaveLength(4);
  });

  it('names no vendor', () => {
    const vendor = new RegExp(['git', 'lab'].join(''), 'i');
    const folders = ['../src/api/', '../src/spec/'].map((folder) => new URL(folder, import.meta.url));
    const files = folders.flatMap((folder) => readdirSync(folder).map((file) => new URL(file, folder)));
    expect(files.length).toBeGreaterThan(25);
    expect(files.filter((file) => vendor.test(readFileSync(file, 'utf8'))).map(String)).toEqual([]);
  });
});

/** Words as a shell would split them. */
function words(run: string): string[] {
  return [...run.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

describe('examples', () => {
  law('has one or more of each call, that start with the command', ({ entry, endpoint }) => {
    const start = `${entry.name} ${commandName(endpoint)}`;
    const own = endpoint.examples.filter(({ run }) => run === start || run.startsWith(`${start} `));
    return (own.length === 0 || own.length < endpoint.examples.length) && `${own.length} examples`;
  });

  law('names the place where the call is made, and no other', ({ endpoint: { scope, examples } }) =>
    examples
      .filter(({ run }) => {
        const places = words(run).filter((word) => /^--(project|group)$/.test(word));
        return places.join() !== (scope ? `--${scope.name}` : '');
      })
      .map(({ run }) => run),
  );

  law('uses flags that there are', ({ endpoint }) => {
    const ofPeriods = endpoint.period ? ['since', 'until'] : [];
    // `migrations create` has a separate flag for the source token, which must not be on the command line.
    const known = new Set([...flagsOf(endpoint), ...globalFlags, 'source-token-file', ...ofPeriods]);
    return endpoint.examples.flatMap(({ run }) =>
      words(run)
        .filter((word) => word.startsWith('--'))
        .map((word) => word.slice(2).split('=', 1)[0] as string)
        .filter((flag) => !known.has(flag)),
    );
  });

  law('gives every parameter that is required', ({ endpoint }) => {
    const filled = argumentsOf(endpoint).map(({ field }) => field);
    const needed = Object.entries(endpoint.takes)
      .filter(([name, field]) => field.required && !filled.includes(name) && field.in !== 'credential')
      .filter(([, field]) => !field.orElse && field.implied === undefined && choicesOf(field)?.length !== 1);
    return endpoint.examples.flatMap(({ run }) => {
      const given = new Set(words(run).map((word) => word.split('=', 1)[0]));
      return needed
        .filter(([name]) =>
          [kebab(name), `no-${kebab(name)}`, rowFlag(name)].every((flag) => !given.has(`--${flag}`)),
        )
        .map(([name]) => `${name} in ${run}`);
    });
  });

  law('gives every argument that is required', ({ endpoint }) => {
    const needed = argumentsOf(endpoint).filter(({ required }) => required).length;
    return endpoint.examples
      .filter(({ run }) => {
        const given = words(run).slice(2, 2 + needed);
        return given.length < needed || given.some((word) => word.startsWith('--'));
      })
      .map(({ run }) => run);
  });

  law('runs without prompts: destructive examples use --yes or send nothing', ({ endpoint }) =>
    endpoint.confirm
      ? endpoint.examples.filter(({ run }) => !/ --(yes|dry-run)\b/.test(run)).map(({ run }) => run)
      : [],
  );

  law('needs no shell, and tells in a line without a full stop what it does', ({ endpoint }) =>
    endpoint.examples
      .filter(
        ({ run, does }) =>
          /[`$'\\]/.test(run) || /(^| )[|&;<>]/.test(run) || !/^[A-Z]/.test(does) || /\.$/.test(does),
      )
      .map(({ run, does }) => `${does}: ${run}`),
  );
});
