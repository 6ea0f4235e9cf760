/** Filters and order of a list of epics (section 4.20). */
import { isRecord } from '../../../support/record.ts';
import { type Filter, testsOf } from '../../core/collection.ts';
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

const authors: Readonly<Record<string, Filter<Epic>>> = {
  author_id: (value) => (epic) => epic.author_id === value,
  author_username: (value, ctx) => (epic) =>
    ctx.table<User>('users').get(epic.author_id)?.username.toLowerCase() === String(value).toLowerCase(),
};

export const filters: Readonly<Record<string, Filter<Epic>>> = {
  ...authors,
  state: (value) => (epic) => value === 'all' || epic.state === value,
  labels: (value) => (value === '' ? () => true : labelTest(String(value), 'every')),
  // Every word is in the title or the description.
  search: (value) => {
    const words = String(value).toLowerCase().split(/\s+/);
    return ({ title, description }) => {
      const content = `${title}\n${description}`.toLowerCase();
      return words.every((word) => content.includes(word));
    };
  },
  my_reaction_emoji: (value, ctx) => {
    const { id } = ctx.requireUser();
    const mine = ({ reactions }: Epic) => reactions.filter((reaction) => reaction.user_id === id);
    const wanted = String(value);
    if (/^none$/i.test(wanted)) return (epic) => mine(epic).length === 0;
    return (epic) => mine(epic).some(({ name }) => /^any$/i.test(wanted) || name === wanted);
  },
  // An epic that passes any of these is left out.
  not: (value, ctx) => {
    const unwanted = { ...authors, labels: (names: unknown) => labelTest(String(names), 'some') };
    const tests = testsOf(unwanted, isRecord(value) ? value : {}, ctx);
    return (epic) => !tests.some((test) => test(epic));
  },
};
