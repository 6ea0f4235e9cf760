/** Attributes that several areas answer with. */
import { choice, datetime, int, list, object, text, url } from '../spec/field.ts';

/** A user, in short: section 2.7. */
export const person = {
  id: int('User id'),
  username: text('User name'),
  name: text('Full name'),
  state: text('State of the account: active or blocked'),
  avatar_url: url('Picture', { nullable: true }),
  web_url: url('Profile page'),
};

/** A commit: section 2.11. */
export const commit = {
  id: text('Commit SHA'),
  short_id: text('First characters of the commit SHA'),
  title: text('First line of the commit message'),
  message: text('Commit message'),
  author_name: text('Who wrote it'),
  author_email: text('Address of the author'),
  authored_date: datetime('When it was written'),
  committer_name: text('Who committed it'),
  committer_email: text('Address of the committer'),
  committed_date: datetime('When it was committed'),
  created_at: datetime('The same as committed_date'),
  parent_ids: list(text('Commit SHA'), 'Commits that it follows', { nullable: true }),
  trailers: object('Trailers of the message, such as Signed-off-by'),
  web_url: url('Page of the commit'),
};

/** A commit in a list. */
export const listedCommit = {
  ...commit,
  extended_trailers: object('Trailers of the message, each with all its values'),
};

/** The direction of a list. */
export const direction = (doc: string) => choice(['desc', 'asc'], doc, { default: 'desc' });
