import { area, paging, under } from '../spec/compose.ts';
import { endpoint, listOf } from '../spec/endpoint.ts';
import { bool, datetime, object, text } from '../spec/field.ts';
import { direction, listedCommit, person } from './parts.ts';
import { group } from './scopes.ts';

/** A release, as lists of a group show it: section 2.15. */
export const release = {
  name: text('Title of the release'),
  tag_name: text('Git tag that it was made from'),
  description: text('Release notes, in Markdown'),
  created_at: datetime('When it was written down'),
  released_at: datetime('When it is or was out'),
  upcoming_release: bool('Not out yet'),
  author: object('Who wrote it', person),
  commit: object('Commit that the tag points to', listedCommit),
  commit_path: text('Path of the page of the commit'),
  tag_path: text('Path of the page of the tag'),
};

export default area(
  under(group, [
    endpoint('GET releases', {
      section: '4.16',
      command: 'list',
      summary: 'List releases of all projects of a group, newest first',
      takes: {
        sort: direction('Latest first (desc) or earliest first'),
        simple: bool('Fewer fields a release, and a quicker answer'),
        ...paging,
      },
      returns: listOf(release),
      columns: ['tag_name', 'name', 'released_at', 'author.username', 'commit.short_id', 'tag_path'],
      examples: [
        { does: 'What came out lately', run: 'releases list --group acme' },
        {
          does: 'From the first on, as CSV',
          run: 'releases list --group acme --sort asc --fields tag_name,released_at --csv',
        },
      ],
    }),
  ]),
);
