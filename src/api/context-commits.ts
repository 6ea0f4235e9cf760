import { area, inArea } from '../spec/compose.ts';
import { wholeListOf } from '../spec/endpoint.ts';
import { int, list, text } from '../spec/field.ts';
import { listedCommit } from './parts.ts';
import { project } from './scopes.ts';

const sha = text('Commit SHA', {
  placeholder: 'sha',
  pattern: { test: /^[0-9a-f]{4,64}$/i, message: 'must be a commit SHA' },
});
const commits = list(sha, 'Full SHAs of the commits', { required: true });

const endpoint = inArea('context-commits', {
  noun: 'context commit',
  scope: project,
  fields: listedCommit,
  columns: [{ path: 'short_id', label: 'COMMIT' }, 'title', 'author_name', 'committed_date'],
  slots: { merge_request_iid: int('Number of the merge request in its project') },
});

export default area(
  [
    endpoint('GET merge_requests/:merge_request_iid/context_commits', {
      summary: 'List context commits of a merge request',
      examples: { 'Print only the full SHAs for a script': '7 --fields id -o tsv --no-header' },
    }),
    endpoint('POST merge_requests/:merge_request_iid/context_commits', {
      command: 'add',
      summary: 'Add context commits to a merge request',
      takes: { commits },
      returns: wholeListOf(listedCommit),
      done: 'Added context commits to merge request !{merge_request_iid}',
      examples: { 'Add a commit': '7 --commits 72bc266cf55d6da7800df6e91b5af3791a328886' },
    }),
    endpoint('DELETE merge_requests/:merge_request_iid/context_commits', {
      summary: 'Remove context commits from a merge request',
      takes: { commits: { ...commits, of: { ...sha, suggest: 'context-commits/list/id' } } },
      done: 'Removed context commits from merge request !{merge_request_iid}',
      examples: { 'Remove a commit': '7 --commits 6681fc751290f78433858b5e3267e7753e481d0a --yes' },
    }),
  ],
  'Context commits are existing commits that reviewers see beside the changes of a merge request. They are not part of the changes.',
);
