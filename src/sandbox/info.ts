import type { World } from './core/behavior.ts';
import type { Token } from './core/rows.ts';

/** The version that the sandbox gives itself. */
export const version = '18.6.0';

/** What a client needs to be pointed at a sandbox. Holds live tokens: show it to the sandbox's owner only. */
export interface Info {
  readonly version: string;
  /** Access tokens by role: admin, owner, maintainer, developer, reporter, guest, outsider, readonly. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly job_token: string | null;
  /** Of the seeded world. */
  readonly ids: {
    readonly project: number;
    readonly project_path: string;
    readonly group: number;
    readonly group_path: string;
    readonly pipeline: number;
    readonly job: number;
    /** The iid. */
    readonly merge_request: number;
    /** The administrator. */
    readonly user: number;
  };
}

export const seeded: Info['ids'] = {
  project: 100,
  project_path: 'acme/rocket',
  group: 10,
  group_path: 'acme',
  pipeline: 1012,
  job: 5280,
  merge_request: 7,
  user: 1,
};

/** The tokens that the seed and its file made; those that were added later are the business of who added them. */
export function infoOf(world: World): Info {
  const tokens = world
    .table<Token>('tokens')
    .filter((row) => row.token.startsWith('sandbox-') && row.name !== 'added');
  return {
    version,
    tokens: Object.fromEntries(
      tokens.filter((row) => row.job_id === null).map((row) => [row.name, row.token]),
    ),
    job_token: tokens.find((row) => row.job_id !== null)?.token ?? null,
    ids: seeded,
  };
}
