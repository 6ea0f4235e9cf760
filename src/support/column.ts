/** Columns of tables: their kinds and labels, and how both follow from the name of an attribute. */

/**
 * The content of a column, from which width, alignment, color, abbreviation and the order of narrowing and dropping follow. `id` and
 * `name` identify a row; `person` is a user; `lines` an array of lines; `share` a number from 0 to 1; `mark` has signs for `ok` and `missing`.
 */
export type ColumnKind =
  | 'id'
  | 'name'
  | 'state'
  | 'flag'
  | 'mark'
  | 'time'
  | 'duration'
  | 'size'
  | 'share'
  | 'number'
  | 'person'
  | 'text'
  | 'lines';

export interface Column {
  /** Dotted path into a row: `commit.author_email`. */
  readonly path: string;
  /** The header, in upper case: `AUTHOR`. */
  readonly label: string;
  readonly kind: ColumnKind;
  /** Keep the column on a narrow terminal, because it has the result of a report. */
  readonly keep?: boolean | undefined;
}

/** Attributes that identify the object they belong to: `author.username` is the author. */
const identity = /\.(?:id|iid|short_id|username|name)$/;

/** Suffixes that add nothing to a label: `created_at` is `CREATED`. */
const noise = /(?<=_)(?:at|date|on)$|(?<=(?:^|_)(?:author|committer|file|tag|user)_)name$/;

/** Whether a key is a name of the API. Other keys, such as names of headers, are data. */
export function isAttributeName(key: string): boolean {
  return /^_?[a-z](?:[a-z0-9_]*[a-z0-9])?$/.test(key);
}

/** Return the label of an attribute: `commit.author_name` is `AUTHOR`, `last_seen_at` is `LAST SEEN`. */
export function labelOf(path: string): string {
  const owned = path.replace(identity, '');
  const name = owned.slice(owned.lastIndexOf('.') + 1);
  return name.replace(noise, '').split('_').filter(Boolean).join(' ').toUpperCase();
}

const acronyms = new Map(
  'API CI CSV CVE DSN HTTP ID IDs IID IP JSON LDAP LFS PWA SHA SHA256 SSL URL URLs UTC'
    .split(' ')
    .map((word) => [word.toUpperCase(), word]),
);

/** Write a label as a sentence does: `WEB URL` is `Web URL`. */
export function sentenceCase(label: string): string {
  const words = label.split(' ').map((word) => acronyms.get(word) ?? word.toLowerCase());
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const person =
  /(?:^|[._])(?:author|user|owner|committer|assignee|by)(?:\.(?:username|name)|_name)$|\.username$/;

const byName: readonly (readonly [RegExp, ColumnKind])[] = [
  [/(?:^|[._])(?:status|state)$/, 'state'],
  [/(?:^|[._])duration$/, 'duration'],
  [/(?:^|[._])size$/, 'size'],
  [person, 'person'],
  [/(?:^|[._])(?:i?id|sha|fingerprint)$/, 'id'],
  [/^(?:username|name|title|key|slug|filename|file_name|file_path|tag_name)$/, 'name'],
];

/** Return the kind that follows from the name of an attribute; undefined if none does. */
export function kindOfName(path: string): ColumnKind | undefined {
  return byName.find(([pattern]) => pattern.test(path))?.[1];
}
