import { area, paging, under } from '../spec/compose.ts';
import { endpoint, listOf, nothing, wholeListOf } from '../spec/endpoint.ts';
import { int, list, text } from '../spec/field.ts';
import { listedCommit } from './parts.ts';
import { project } from './scopes.ts';

const common = {
  section: '4.15',
  slots: { merge_request_iid: int('Number of the merge request in its project', { placeholder: 'iid' }) },
} as const;
const sha = text('Commit SHA', {
  placeholder: 'sha',
  pattern: { test: /^[0-9a-f]{4,64}$/i, says: 'must be a commit SHA' },
});
const commits = list(sha, 'Full SHAs of the commits', { required: true });
const columns = [{ path: 'short_id', label: 'COMMIT' }, 'title', 'author_name', 'committed_date'] as const;

export default area(
  under(project, [
    endpoint('GET merge_requests/:merge_request_iid/context_commits', {
      ...common,
      command: 'list <merge-request-iid>',
      summary: 'List context commits of a merge request',
      takes: paging,
      noun: 'context commit',
      returns: listOf(listedCommit),
      columns,
      examples: [
        {
          does: 'List context commits of merge request 7',
          run: 'context-commits list 7 --project acme/rocket',
        },
        {
          does: 'Print only the full SHAs for a script',
          run: 'context-commits list 7 --project acme/rocket --fields id -o tsv --no-header',
        },
      ],
    }),
    endpoint('POST merge_requests/:merge_request_iid/context_commits', {
      ...common,
      command: 'add <merge-request-iid>',
      summary: 'Add context commits to a merge request',
      takes: { commits },
      noun: 'context commit',
      returns: wholeListOf(listedCommit),
      columns,
      done: 'Added context commits to merge request !{merge_request_iid}',
      examples: [
        {
          does: 'Add a commit',
          run: 'context-commits add 7 --project acme/rocket --commits 72bc266cf55d6da7800df6e91b5af3791a328886',
        },
        {
          does: 'Add two commits and print their titles as JSON',
          run: 'context-commits add 7 --project acme/rocket --commits 72bc266cf55d6da7800df6e91b5af3791a328886 --commits 6681fc751290f78433858b5e3267e7753e481d0a --fields title --json',
        },
      ],
    }),
    endpoint('DELETE merge_requests/:merge_request_iid/context_commits', {
      ...common,
      command: 'delete <merge-request-iid>',
      summary: 'Remove context commits from a merge request',
      takes: { commits: { ...commits, of: { ...sha, suggest: 'context-commits/list/id' } } },
      returns: nothing,
      confirm: 'yes',
      done: 'Removed context commits from merge request !{merge_request_iid}',
      examples: [
        {
          does: 'Remove without confirmation',
          run: 'context-commits delete 7 --project acme/rocket --commits 6681fc751290f78433858b5e3267e7753e481d0a --yes',
        },
        {
          does: 'Print the request without sending it',
          run: 'context-commits delete 7 --project acme/rocket --commits 6681fc751290f78433858b5e3267e7753e481d0a --dry-run',
        },
      ],
    }),
  ]),
  'Context commits are existing commits that reviewers see beside the changes of a merge request. They are not part of the changes.',
);
