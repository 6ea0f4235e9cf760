import { seededShas } from '../../git/history.ts';
import type { Seeder } from '../../seed/seeder.ts';
import type { ContextCommit } from './handlers.ts';

/** A context commit of merge request 7. */
export const contextCommits: Seeder = (world) => {
  world.table<ContextCommit>('context_commits').insert({ merge_request_id: 707, sha: seededShas['main~3'] });
};
