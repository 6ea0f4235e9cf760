import type { TestSandbox } from './control/types.ts';
import type { Project, Token } from './core/rows.ts';
import type { World } from './core/world.ts';

export const version = '18.6.0';

export const seeded: TestSandbox['ids'] = {
  project: 100,
  project_path: 'acme/rocket',
  group: 10,
  group_path: 'acme',
  pipeline: 1012,
  job: 5280,
  merge_request: 7,
  user: 1,
};

/** The name of the tokens that a program adds for itself. */
export const addedName = 'added';

/** Add an access token with the `api` scope. @param name how lists show it */
export function addToken(world: World, user_id: number, name: string, token: string): void {
  const row = { token, name, user_id, scopes: ['api'], job_id: null, created_at: world.time() };
  world.table<Token>('tokens').insert(row);
}

/** The ids of the seeded rows, or those of the only project, which a copy consists of. */
function idsOf(world: World): Partial<TestSandbox['ids']> & Pick<TestSandbox['ids'], 'project_path'> {
  const [project, other] = world.table<Project>('projects').all();
  if (!project || other) return seeded;
  return { project: project.id, project_path: project.path_with_namespace, group: project.group_id };
}

/** Return the seeded tokens by role, and the ids of the seeded rows. Tokens are secrets: print this for the owner only. */
export function infoOf(world: World) {
  const tokens = world
    .table<Token>('tokens')
    .filter((row) => row.token.startsWith('sandbox-') && row.name !== addedName);
  return {
    version,
    tokens: Object.fromEntries(
      tokens.filter((row) => row.job_id === null).map((row) => [row.name, row.token]),
    ),
    job_token: tokens.find((row) => row.job_id !== null)?.token ?? null,
    ids: idsOf(world),
  };
}

export type Info = ReturnType<typeof infoOf>;
