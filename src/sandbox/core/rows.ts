/** Rows that several areas use. Other rows are declared in their area. */
import type { CommitFacts } from '../../webhooks/shapes.ts';

export interface Row {
  readonly id: number;
}

/** A row with unknown attributes, as in ordinary collections. */
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
  path_with_namespace: string;
  group_id: number;
  visibility: Visibility;
  description: string;
  default_branch: string;
  created_at: string;
}

export interface Member extends Row {
  user_id: number;
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
  job_id: number | null;
  created_at: string;
}

/** A former path of a project or group. */
export interface Moved extends Row {
  path: string;
  project_id: number | null;
  group_id: number | null;
}

export interface Pipeline extends Row {
  project_id: number;
  /** The cause; by default a push, or the parent pipeline. */
  source?: string;
  parent_id: number | null;
  ref: string;
  tag: boolean;
  sha: string;
  status: string;
  user_id: number;
  created_at: string;
  updated_at: string;
  /** Set if the jobs of a stage start by themselves after those of the stage before. */
  staged?: true;
  commit: CommitFacts;
}

/** A job, or a bridge (`bridge: true`). */
export interface Job extends Row {
  project_id: number;
  pipeline_id: number;
  user_id: number;
  bridge: boolean;
  retried: boolean;
  downstream_pipeline_id: number | null;
  /** Null if it has not started. */
  runner_id: number | null;
  /** Bytes of the archive of its artifacts; null if it has none. */
  artifacts_size: number | null;
  status: string;
  name: string;
  [more: string]: unknown;
}
