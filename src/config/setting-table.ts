/** All settings and their sources. svc resolves, checks, explains, stores and documents settings from this table. */

import type { NumberRange } from '../support/number.ts';
import { formats } from '../support/text/formats.ts';

/** The sources of a setting, by decreasing precedence. */
export const sources = ['flag', 'environment', 'profile', 'pipeline', 'default'] as const;
export type Source = (typeof sources)[number];

export interface Setting<T> {
  readonly value: T;
  readonly source: Source;
  /** The name of the flag, variable or profile: `--base-url`, `SVC_BASE_URL`, `profile "work"`. */
  readonly from: string;
}

/** A token that has not been read yet, and the server that may receive it. */
export interface TokenSource {
  readonly source: Source;
  /** `SVC_TOKEN`, `profile "work" (token_command)`. */
  readonly from: string;
  /** The only origin that may receive the token. Absent: any origin may. Undefined: no origin may, because the right one is unknown. */
  readonly origin?: string | undefined;
  /** The user as `mia (user 3)`, and the scopes. */
  readonly owner?: { readonly user?: string; readonly scopes?: readonly string[] } | undefined;
  /** Return the token, which is known without a file or a command: to mask it if another server repeats it. */
  readonly known?: () => string | undefined;
  /** @param signal ends the command that prints the token @throws Failure `usage` if the token cannot be read */
  readonly read: (signal?: AbortSignal) => Promise<string>;
  readonly warnings?: readonly string[];
}

/** A relative `path` in a profile starts at the config folder; `owned` describes the token of the profile. */
type Kind = 'text' | 'url' | 'path' | 'choice' | 'token' | 'owned' | 'scope' | 'number' | 'switch';
type Stored<K> = K extends 'switch' ? boolean : K extends 'scope' | 'number' ? string | number : string;

export interface SettingEntry {
  readonly title: string;
  readonly description: string;
  readonly kind: Kind;
  /** The name in `svc config explain`, if it is not that of the entry. */
  readonly name?: string;
  /** Without dashes. */
  readonly flag?: string;
  readonly environment?: readonly string[];
  readonly keys?: readonly string[];
  /** The predefined variables of a pipeline, in order of precedence. */
  readonly pipeline?: readonly string[];
  readonly choices?: readonly string[];
  readonly range?: NumberRange;
  readonly fallback?: number | string;
  /** Describes the default, if there is no fallback. */
  readonly otherwise?: string;
}

/** Seconds that timers of Node accept at most: 2^31 ms, which is 24 days. */
const longest = 24 * 86_400;

/** The flag, the variable and the key of a setting that has all three. */
const everywhere = <const K extends string>(key: K) => ({
  flag: key.replaceAll('_', '-'),
  environment: [`SVC_${key.toUpperCase()}`],
  keys: [key] as readonly [K],
});

/** In the order of the reference and of `svc config explain`. */
export const settingTable = {
  profile: {
    title: 'Profile',
    description: 'The stored profile to use',
    kind: 'text',
    flag: 'profile',
    environment: ['SVC_PROFILE'],
    otherwise: 'the current profile, set by `svc profiles use`',
  },
  baseUrl: {
    title: 'Base URL',
    description: 'The URL of the service. It may have a path prefix, and may end with /api/v4 or a slash',
    kind: 'url',
    ...everywhere('base_url'),
    pipeline: ['CI_API_V4_URL', 'CI_SERVER_URL'],
  },
  auth: {
    title: 'Kind of token',
    description:
      'access, job, or bearer. bearer sends the access token, or the job token if there is none, in an Authorization header',
    kind: 'choice',
    choices: ['access', 'job', 'bearer'],
    ...everywhere('auth'),
    otherwise: 'the access token, or the job token if there is none',
  },
  accessToken: {
    title: 'Access token',
    description:
      'A personal, project or group access token. svc sends it only to the origin that it was stored for, and does not accept it on the command line. token_command is a shell command that prints the token, token_env the name of a variable that holds it',
    kind: 'token',
    name: 'token',
    flag: 'token-file',
    environment: ['SVC_TOKEN'],
    keys: ['token', 'token_command', 'token_env'],
  },
  origin: {
    title: 'Origin of the token',
    description: 'The scheme, host and port to which the token of the profile is sent. `svc login` sets it',
    kind: 'owned',
    keys: ['origin'],
    otherwise: 'the origin of the base URL of the profile',
  },
  owner: {
    title: 'Owner of the token',
    description:
      'The user and the scopes of the token, separated by commas, as the service reported them to `svc login`. Errors mention them; nothing else depends on them',
    kind: 'owned',
    keys: ['user', 'scopes'],
  },
  jobToken: {
    title: 'Job token',
    description: 'The token of a running CI job. Few endpoints accept it. `--auth job` selects it',
    kind: 'token',
    environment: ['SVC_JOB_TOKEN'],
    pipeline: ['CI_JOB_TOKEN'],
  },
  project: {
    title: 'Project',
    description:
      'The project to use, by ID or full path. That of a profile or a pipeline is used only on the server of the profile or the pipeline',
    kind: 'scope',
    ...everywhere('project'),
    pipeline: ['CI_PROJECT_ID'],
  },
  group: {
    title: 'Group',
    description:
      'The group to use, by ID or full path. That of a profile is used only on the server of the profile',
    kind: 'scope',
    ...everywhere('group'),
  },
  caFile: {
    title: 'CA file',
    description:
      'A PEM file with certificate authorities to trust, in addition to those of Node.js and of NODE_EXTRA_CA_CERTS',
    kind: 'path',
    ...everywhere('ca_file'),
    pipeline: ['CI_SERVER_TLS_CA_FILE'],
  },
  clientCert: {
    title: 'Client certificate',
    description: 'A PEM file for TLS client authentication',
    kind: 'path',
    keys: ['client_cert'],
  },
  clientKey: {
    title: 'Client key',
    description: 'The PEM file with the key of the client certificate',
    kind: 'path',
    keys: ['client_key'],
  },
  insecure: {
    title: 'Insecure',
    description: 'Skip verification of the certificate of the service. svc prints a warning each time',
    kind: 'switch',
    flag: 'insecure',
    keys: ['insecure'],
    otherwise: 'off',
  },
  readOnly: {
    title: 'Read-only mode',
    description:
      'Refuse every request but GET and HEAD, also in `svc api` and in commands that make several requests. One of the sources is enough, and no flag turns it off. An empty variable, or 0, means off',
    kind: 'switch',
    ...everywhere('read_only'),
    otherwise: 'off',
  },
  auditLog: {
    title: 'Audit log',
    description:
      'A file to which svc appends one line of JSON before and one after each request that can change something, with secrets masked. If the file cannot be written, the request is not sent',
    kind: 'path',
    environment: ['SVC_AUDIT_LOG'],
    otherwise: 'no log',
  },
  httpProxy: {
    title: 'HTTP proxy',
    description: 'The proxy for HTTP requests, except to loopback addresses such as localhost',
    kind: 'url',
    // Lower case first, as curl does.
    environment: ['http_proxy', 'HTTP_PROXY'],
  },
  httpsProxy: {
    title: 'HTTPS proxy',
    description: 'The proxy for HTTPS requests, except to loopback addresses such as localhost',
    kind: 'url',
    environment: ['https_proxy', 'HTTPS_PROXY'],
  },
  noProxy: {
    title: 'No proxy',
    description: 'Hosts to which svc connects directly, separated by commas',
    kind: 'text',
    environment: ['no_proxy', 'NO_PROXY'],
  },
  timeout: {
    title: 'Timeout',
    description: 'Seconds to wait for a connection, for response headers or for more data',
    kind: 'number',
    range: { kind: 'number', unit: 'seconds', min: 0.001, max: longest },
    ...everywhere('timeout'),
    fallback: 30,
  },
  retries: {
    title: 'Retries',
    description: 'Maximum number of retries of a request',
    kind: 'number',
    range: { kind: 'int', min: 0, max: 999 },
    ...everywhere('retries'),
    fallback: 5,
  },
  maxWait: {
    title: 'Maximum wait',
    description: 'Maximum number of seconds to wait before a retry',
    kind: 'number',
    range: { kind: 'number', unit: 'seconds', min: 0, max: longest },
    ...everywhere('max_wait'),
    fallback: 60,
  },
  output: {
    title: 'Output',
    description: 'The output format',
    kind: 'choice',
    choices: formats,
    ...everywhere('output'),
    fallback: 'table',
  },
} as const satisfies Readonly<Record<string, SettingEntry>>;

type Table = typeof settingTable;

/** The type of a setting in effect. One with a default is always set. */
type InEffect<E> = E extends { kind: 'token' }
  ? TokenSource | undefined
  : E extends { kind: 'switch' }
    ? Setting<boolean>
    : E extends { kind: 'number' }
      ? Setting<number>
      :
          | Setting<E extends { choices: readonly (infer Choice)[] } ? Choice : string>
          | (E extends { fallback: string } ? never : undefined);

/**
 * The settings in effect. Times are in milliseconds, the base URL is as given (`apiRoot` converts it). They contain no token:
 * `credentialFor` reads it when it is needed.
 */
export type Settings = {
  readonly [N in keyof Table as Table[N]['kind'] extends 'owned' ? never : N]: InEffect<Table[N]>;
};

type KeysOf<E> = E extends { keys: readonly (infer Key extends string)[] } ? Key : never;

/** A server and its settings. Unknown keys are kept. */
export type Profile = { readonly [N in keyof Table as KeysOf<Table[N]>]?: Stored<Table[N]['kind']> };

export const profileKeys = Object.fromEntries(
  Object.values<SettingEntry>(settingTable).flatMap(({ kind, keys = [] }) => keys.map((key) => [key, kind])),
) as Readonly<Record<keyof Profile, Kind>>;

export function settingDocs() {
  return Object.values<SettingEntry>(settingTable).map((entry) => {
    const { title: name, description, flag, environment, keys, fallback, otherwise = fallback } = entry;
    const pipeline = entry.pipeline?.join(', then ');
    const sources = [
      flag && `flag --${flag}`,
      environment && `environment ${environment.join(', then ')}`,
      keys && `profile ${keys.join(', ')}`,
      pipeline && `pipeline ${pipeline}`,
      otherwise && `default ${otherwise}`,
    ];
    return { name, description, sources: sources.filter((one) => typeof one === 'string'), pipeline };
  });
}
