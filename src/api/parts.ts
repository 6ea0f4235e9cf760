/** Attributes that several areas answer with. */
import { choice, datetime, int, list, object, rows, secret, text, url } from '../spec/field.ts';

/** A user, in short: section 2.7. */
export const person = {
  id: int('User id'),
  username: text('Username'),
  name: text('Full name'),
  state: text('State of the account: active or blocked'),
  avatar_url: url('URL of the avatar', { nullable: true }),
  web_url: url('Profile page'),
};

export const pipelineId = int('Pipeline id', { suggest: 'pipelines/list/id' });

/** Attributes that users set for themselves. */
export const profile = {
  created_at: datetime('Creation time of the account'),
  bio: text('Biography', { nullable: true }),
  location: text('Location', { nullable: true }),
  public_email: text('Public email address'),
  social_1: text('First social account'),
  social_2: text('Second social account'),
  social_3: text('Third social account'),
  website_url: url('Website'),
  organization: text('Organization'),
};

/** A commit: section 2.11. */
export const commit = {
  id: text('Commit SHA'),
  short_id: text('Abbreviated commit SHA'),
  title: text('First line of the commit message'),
  message: text('Commit message'),
  author_name: text('Name of the author'),
  author_email: text('Email address of the author'),
  authored_date: datetime('Time of authorship'),
  committer_name: text('Name of the committer'),
  committer_email: text('Email address of the committer'),
  committed_date: datetime('Time of the commit'),
  created_at: datetime('Time of the commit'),
  parent_ids: list(text('Commit SHA'), 'Parent commits', { nullable: true }),
  trailers: object('Trailers of the message, such as Signed-off-by'),
  web_url: url('Web page of the commit'),
};

export const listedCommit = {
  ...commit,
  extended_trailers: object('Trailers of the message with all values of each'),
};

export const direction = (doc: string) => choice(['desc', 'asc'], doc, { default: 'desc' });

/** Variables of one run of a job or a pipeline. */
export const runVariables = (doc: string) =>
  rows(doc, {
    key: text('Name of the variable', { required: true }),
    value: secret('Value of the variable in this run', { required: true }),
  });
