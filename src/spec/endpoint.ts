import type { ColumnDraft } from './column.ts';
import type { Feature, Field, Fields, Role, Tier } from './field.ts';

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof methods)[number];

/** The project or group of a call: the `:id` that `--project` or `--group` fills. */
export interface Scope {
  readonly name: 'project' | 'group';
  readonly prefix: string;
  readonly id: Field;
}

/**
 * The response of a call: `list`: a JSON array, in pages unless `unpaged`, or rows that a task reads from a `file` of this media type;
 * `orOne`: some servers return a single object; `object`: one JSON object; `raw`: bytes of any kind, passed on unchanged;
 * `headers`: values in `X-Service-*` headers, by the rest of their names; `nothing`: a body that is empty or only confirms success.
 */
export type Returns =
  | {
      readonly kind: 'list';
      readonly fields: Fields;
      readonly unpaged?: true;
      readonly orOne?: true;
      readonly file?: string;
    }
  | { readonly kind: 'object'; readonly fields: Fields }
  | { readonly kind: 'headers'; readonly fields: Fields }
  | { readonly kind: 'raw'; readonly type: string }
  | { readonly kind: 'nothing' };

export interface Example {
  /** A short description without a full stop. */
  readonly does: string;
  /** The command line after `svc `. It runs in a fresh sandbox. */
  readonly run: string;
}

export interface Access {
  readonly role?: Role;
  readonly tier?: Tier;
  readonly offering?: 'self-managed' | 'hosted';
  /** Does not exist if this feature is off. */
  readonly feature?: Feature;
  /** Works without a token for public resources. */
  readonly anonymous?: true;
  /**
   * Scope of the access token. By default `api`, or `read_api` to read. `read_repository` is accepted as well; `api` is
   * required even to read.
   */
  readonly scope?: 'read_repository' | 'api';
  /** Accepts a job token: in addition to other tokens (`also`), or exclusively (`only`). */
  readonly jobToken?: 'only' | 'also';
}

export interface FlagTarget {
  readonly sets: readonly [parameter: string, key?: string];
  readonly doc: string;
}

/** The verbs of confirmations, each with the noun for a write that the service has only scheduled. */
export const verbs = {
  Added: 'addition',
  Canceled: 'cancellation',
  Configured: 'configuration',
  Created: 'creation',
  Deleted: 'deletion',
  Erased: 'erasure',
  Protected: 'protection',
  Refreshed: 'refresh',
  Removed: 'removal',
  Resent: 'resending',
  Retried: 'retry',
  Started: 'start',
  Updated: 'update',
  Uploaded: 'upload',
} as const;

/** A call of the API, as the specification describes it. */
export interface Operation {
  readonly method: Method;
  /** With the prefix of its scope and a leading slash: `/projects/:id/badges/:badge_id`. */
  readonly path: string;
  readonly scope?: Scope;
  /** The slots of the path except that of the scope, in path order. */
  readonly slots: Fields;
  readonly takes: Fields;
  readonly returns: Returns;
  readonly access: Access;
  /** The orders that keyset pagination of a list supports, the default first. */
  readonly keyset?: { readonly order_by: readonly string[]; readonly sort: readonly string[] };
  readonly deprecated?: string;
  /** Not specified in detail: the path and the parameters are modeled on similar services. */
  readonly unspecified?: true;
}

/** How the command line shows an operation. */
export interface Presentation {
  /** Name and arguments: `update <key> [value]`. An argument is a slot or a parameter, in kebab-case. */
  readonly command: string;
  /** The fields of arguments with another name. */
  readonly argumentFields: Readonly<Record<string, string>>;
  /**
   * Flags for a key of a parameter, or with another name than the parameter: `environment_scope` for `filter[environment_scope]`. They
   * take the place of a parameter with the same name.
   */
  readonly flags?: Readonly<Record<string, FlagTarget>>;
  /** One line for the list of commands: a verb first, no full stop. */
  readonly summary: string;
  /** Singular name of the resource: `badge`. */
  readonly noun?: string;
  readonly doc?: string;
  /** Details that apply only on a command line, such as standard input. */
  readonly usage?: string;
  /** The columns of a table without `--fields`: the identifying column first. */
  readonly columns: readonly ColumnDraft[];
  /**
   * The confirmation of a write: `Created badge {id} ({name})`. A placeholder is an attribute of the response, otherwise a parameter,
   * a slot or an argument. A word or a group in parentheses is omitted if its value is unknown; a group also if its value is the
   * default. `{scope}` is the project or group; without it, ` in {scope}` is appended.
   */
  readonly done?: `${keyof typeof verbs} ${string}` | undefined;
  /** Its response is printed without `-o` too, because it contains a value that the service generated. */
  readonly generates?: true;
  /** Repeating the command has no further effect, although its method is POST. */
  readonly repeatable?: true;
  /** Requires confirmation because it is destructive. `name`: the user must type the name of the resource. */
  readonly confirm?: 'yes' | 'name';
  /** The resources that a destructive call affects, if its path does not name them: rows of a list command of the same area. */
  readonly affects?: {
    readonly command: string;
    readonly where: Readonly<Record<string, boolean | string>>;
    /** Singular name of the rows: `merged branch`. */
    readonly noun: string;
  };
  /** Rows of a page that every service accepts, if it is less than the specification states. */
  readonly largestPage?: number;
  /** How `--since` and `--until` select rows: with parameters, or by the first of these attributes in a list that is newest first. */
  readonly period?:
    | { readonly after: string; readonly before: string }
    | { readonly attributes: readonly string[] };
  /** The hint for a failure with this status, or with this code of an error of the service. */
  readonly nextSteps?: { readonly [status: number]: string; readonly already_exists?: string };
  /** Parameters of the list whose rows are offered for the argument, in completion and to choose from. */
  readonly offers?: Readonly<Record<string, readonly string[]>>;
  /** A further loss, for the confirmation of a destructive call: a sentence without a full stop. */
  readonly lossWarning?: string;
  /** It starts or shows a background task. A `document` can be downloaded at the end. */
  readonly background?: 'outcome' | 'document';
  readonly examples: readonly Example[];
}

export interface Endpoint extends Operation, Presentation {}

export function returnedFields({ returns }: Pick<Operation, 'returns'>): Fields {
  return 'fields' in returns ? returns.fields : {};
}

/** The content of one file of `api/`. Its name and summary are in `api/index.ts`. */
export interface Area {
  readonly doc?: string;
  readonly endpoints: readonly Endpoint[];
}

export const listOf = <F extends Fields>(fields: F) => ({ kind: 'list', fields }) as const;
export const wholeListOf = <F extends Fields>(fields: F) =>
  ({ kind: 'list', fields, unpaged: true }) as const;
export const one = <F extends Fields>(fields: F) => ({ kind: 'object', fields }) as const;
export const raw = (type = 'application/octet-stream') => ({ kind: 'raw', type }) as const;
export const nothing = { kind: 'nothing' } as const;
