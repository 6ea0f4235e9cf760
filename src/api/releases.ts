import { area, inArea } from '../spec/compose.ts';
import { bool, datetime, object, text } from '../spec/field.ts';
import { direction, listedCommit, person } from './parts.ts';
import { group } from './scopes.ts';

/** A release in a list of a group: section 2.15. */
export const release = {
  name: text('Title of the release'),
  tag_name: text('Git tag of the release'),
  description: text('Release notes, in Markdown', { markdown: true }),
  created_at: datetime('Time of creation'),
  released_at: datetime('Time of the release, past or planned'),
  upcoming_release: bool('Planned for the future'),
  author: object('Author of the release', person),
  commit: object('Commit that the tag points to', listedCommit),
  commit_path: text('Path of the web page of the commit'),
  tag_path: text('Path of the web page of the tag'),
};

const endpoint = inArea('releases', {
  noun: 'release',
  scope: group,
  fields: release,
  columns: ['tag_name', 'name', 'released_at', 'author.username', 'commit.short_id', 'tag_path'],
});

export default area([
  endpoint('GET releases', {
    summary: 'List releases of all projects of a group, newest first',
    takes: {
      sort: direction('Sort by release time: desc for latest first, asc for earliest first'),
      simple: bool('Fewer fields per release for a faster response'),
    },
    examples: {
      'List releases as CSV, earliest first': '--sort asc --fields tag_name,released_at --csv',
    },
  }),
]);
