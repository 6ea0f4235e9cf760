/** Filters and order of a list of epics (section 4.20). */
import type { Context } from '../../core/context.ts';
import type { Hash } from '../../core/request/params.ts';
import type { User } from '../../core/rows.ts';
import type { Epic } from './epic.ts';

type Test = (epic: Epic) => boolean;

/** Split names that are separated by commas. */
export const splitNames = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** `None` matches epics without labels, `Any` those with at least one. */
function labelTest(text: string, how: 'every' | 'some'): Test {
  const wanted = splitNames(text);
  const keyword = wanted.length === 1 ? wanted[0]?.toLowerCase() : undefined;
  if (keyword === 'none') return ({ labels }) => labels.length === 0;
  if (keyword === 'any') return ({ labels }) => labels.length > 0;
  return ({ labels }) => wanted[how]((name) => labels.includes(name));
}

function authorTest(ctx: Context, id: unknown, username: unknown): Test[] {
  const usernameOf = ({ author_id }: Epic) => ctx.table<User>('users').get(author_id)?.username;
  return [
    ...(id === undefined ? [] : [(epic: Epic) => epic.author_id === id]),
    ...(username === undefined
      ? []
      : [(epic: Epic) => usernameOf(epic)?.toLowerCase() === String(username).toLowerCase()]),
  ];
}

/** Matches epics with every word in the title or the description. */
function searchTest(text: string): Test {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return ({ title, description }) => {
    const content = `${title}\n${description}`.toLowerCase();
    return words.every((word) => content.includes(word));
  };
}

function reactionTest(ctx: Context, wanted: string): Test {
  const { id } = ctx.requireUser();
  const mine = ({ reactions }: Epic) => reactions.filter((reaction) => reaction.user_id === id);
  if (/^none$/i.test(wanted)) return (epic) => mine(epic).length === 0;
  if (/^any$/i.test(wanted)) return (epic) => mine(epic).length > 0;
  return (epic) => mine(epic).some(({ name }) => name === wanted);
}

function momentTests(ctx: Context): Test[] {
  return (['created', 'updated'] as const).flatMap((stem) => {
    const after = ctx.params.time(`${stem}_after`);
    const before = ctx.params.time(`${stem}_before`);
    const at = (epic: Epic) => Date.parse(epic[`${stem}_at`]);
    return [
      ...(after === undefined ? [] : [(epic: Epic) => at(epic) >= after]),
      ...(before === undefined ? [] : [(epic: Epic) => at(epic) <= before]),
    ];
  });
}

/** Return the tests of `not`. An epic that passes any of them is left out. */
function notTests(ctx: Context, not: Hash): Test[] {
  const labels = not['labels'];
  return [
    ...authorTest(ctx, not['author_id'], not['author_username']),
    ...(labels === undefined ? [] : [labelTest(String(labels), 'some')]),
  ];
}

/** Return the test for all filters of the request. */
export function matches(ctx: Context): Test {
  const { params } = ctx;
  const [state, labels, search] = [
    params.text('state') ?? 'all',
    params.text('labels'),
    params.text('search'),
  ];
  const reaction = params.text('my_reaction_emoji');
  const tests: Test[] = [
    ...authorTest(ctx, params.number('author_id'), params.text('author_username')),
    ...(state === 'all' ? [] : [(epic: Epic) => epic.state === state]),
    ...(labels ? [labelTest(labels, 'every')] : []),
    ...(search ? [searchTest(search)] : []),
    ...(reaction ? [reactionTest(ctx, reaction)] : []),
    ...momentTests(ctx),
  ];
  const unwanted = notTests(ctx, params.hash('not') ?? {});
  return (epic) => tests.every((test) => test(epic)) && !unwanted.some((test) => test(epic));
}
