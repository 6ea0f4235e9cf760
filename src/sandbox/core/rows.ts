/** The rows that every area leans on. An area's own rows stand beside its behaviors. */

export interface Row {
  readonly id: number;
}

/** A row of which nothing is known but its id: what the ordinary collections work with. */
export type AnyRow = Row & Record<string, unknown>;

export type Visibility = 'public' | 'internal' | 'private';

export interface User extends Row {
  username: string;
  name: string;
  email: string;
  state: 'active' | 'blocked';
  is_admin: boolean;
  bot: boolean;
  external: boolean;
  created_at: string;
  [more: string]: unknown;
}

export interface Group extends Row {
  name: string;
  path: string;
  full_path: string;
  parent_id: number | null;
  visibility: Visibility;
  description: string;
  created_at: string;
}

export interface Project extends Row {
  name: string;
  path: string;
  /** `acme/labs/probe` */
  path_with_namespace: string;
  /** The group that it lives in. */
  group_id: number;
  visibility: Visibility;
  description: string;
  default_branch: string;
  created_at: string;
}

export interface Member extends Row {
  user_id: number;
  /** Exactly one of the two is set. */
  project_id: number | null;
  group_id: number | null;
  /** 10 Guest, 20 Reporter, 30 Developer, 40 Maintainer, 50 Owner. */
  access_level: number;
}

export interface Token extends Row {
  token: string;
  name: string;
  user_id: number;
  /** `api`, `read_api`, `read_repository`; empty for a job token. */
  scopes: string[];
  /** Set where it is a job token. */
  job_id: number | null;
  created_at: string;
}

/** A path that a project or group once had. */
export interface Moved extends Row {
  path: string;
  project_id: number | null;
  group_id: number | null;
}

export interface Pipeline extends Row {
  project_id: number;
  /** The pipeline whose bridge started it. */
  parent_id: number | null;
  ref: string;
  tag: boolean;
  sha: string;
  status: string;
  user_id: number;
  created_at: string;
  updated_at: string;
  /** The commit that it runs for, as jobs show it. */
  commit: Readonly<Record<string, unknown>>;
}

/** A job, or a bridge (`bridge: true`). What it refers to is kept by id and joined when it is shown. */
export interface Job extends Row {
  project_id: number;
  pipeline_id: number;
  user_id: number;
  bridge: boolean;
  retried: boolean;
  downstream_pipeline_id: number | null;
  status: string;
  name: string;
  [more: string]: unknown;
}
