/** All settings and their sources, from which svc resolves them and which the manual lists. */

export interface SettingEntry {
  readonly name: string;
  readonly description: string;
  /** Without dashes. */
  readonly flag?: string;
  /** In order of precedence. */
  readonly environment?: readonly string[];
  /** The key in a profile. */
  readonly key?: string;
  /** The value is the path of a file. */
  readonly isPath?: true;
  /** The predefined variables of a pipeline, in order of precedence. */
  readonly pipeline?: readonly string[];
  readonly fallback?: string | number;
}

/** In the order of the reference. */
export const settingTable = {
  profile: {
    name: 'Profile',
    description: 'The stored profile to use',
    flag: 'profile',
    environment: ['SVC_PROFILE'],
    fallback: 'the current profile, set by `svc profiles use`',
  },
  base_url: {
    name: 'Base URL',
    description: 'The URL of the service. It may have a path prefix, and may end with /api/v4 or a slash',
    flag: 'base-url',
    environment: ['SVC_BASE_URL'],
    key: 'base_url',
    pipeline: ['CI_API_V4_URL', 'CI_SERVER_URL'],
  },
  token: {
    name: 'Access token',
    description:
      'A personal, project or group access token. svc sends it only to the origin that it was stored for, and does not accept it on the command line',
    flag: 'token-file',
    environment: ['SVC_TOKEN'],
    key: 'token, token_command (a command that prints the token) or token_env (the name of a variable)',
  },
  origin: {
    name: 'Origin of the token',
    description: 'The scheme, host and port to which the token of the profile is sent. `svc login` sets it',
    key: 'origin',
    fallback: 'the origin of the base URL of the profile',
  },
  owner: {
    name: 'Owner of the token',
    description:
      'The user and the scopes of the token, as the service reported them to `svc login`. Errors mention them; nothing else depends on them',
    key: 'user, scopes',
  },
  job_token: {
    name: 'Job token',
    description: 'The token of a running CI job. Few endpoints accept it. `--auth job` selects it',
    environment: ['SVC_JOB_TOKEN'],
    pipeline: ['CI_JOB_TOKEN'],
  },
  auth: {
    name: 'Kind of token',
    description:
      'access, job, or bearer. bearer sends the access token, or the job token if there is none, in an Authorization header',
    flag: 'auth',
    environment: ['SVC_AUTH'],
    key: 'auth',
    fallback: 'the access token, or the job token if there is none',
  },
  project: {
    name: 'Project',
    description: 'The project to use, by ID or full path',
    flag: 'project',
    environment: ['SVC_PROJECT'],
    key: 'project',
    pipeline: ['CI_PROJECT_ID'],
  },
  group: {
    name: 'Group',
    description: 'The group to use, by ID or full path',
    flag: 'group',
    environment: ['SVC_GROUP'],
    key: 'group',
  },
  ca_file: {
    name: 'CA file',
    description: 'A PEM file with additional certificate authorities to trust',
    flag: 'ca-file',
    environment: ['SVC_CA_FILE', 'NODE_EXTRA_CA_CERTS'],
    key: 'ca_file',
    isPath: true,
    pipeline: ['CI_SERVER_TLS_CA_FILE'],
  },
  insecure: {
    name: 'Insecure',
    description: 'Skip verification of the certificate of the service. svc prints a warning each time',
    flag: 'insecure',
    key: 'insecure',
    fallback: 'false',
  },
  read_only: {
    name: 'Read-only mode',
    description:
      'Refuse every request but GET and HEAD, also in `svc api` and in commands that make several requests. One of the sources is enough, and no flag turns it off. 0 in the variable means off',
    flag: 'read-only',
    environment: ['SVC_READ_ONLY'],
    key: 'read_only',
    fallback: 'off',
  },
  audit_log: {
    name: 'Audit log',
    description:
      'A file to which svc appends one line of JSON before and one after each request that can change something, with secrets masked. If the file cannot be written, the request is not sent',
    environment: ['SVC_AUDIT_LOG'],
    fallback: 'no log',
  },
  client_cert: {
    name: 'Client certificate',
    description: 'A PEM file for TLS client authentication',
    key: 'client_cert',
    isPath: true,
  },
  client_key: {
    name: 'Client key',
    description: 'The PEM file with the key of the client certificate',
    key: 'client_key',
    isPath: true,
  },
  proxy: {
    name: 'Proxy',
    description: 'The proxy for HTTP and HTTPS requests, except to loopback addresses such as localhost',
    environment: ['HTTP_PROXY, HTTPS_PROXY, NO_PROXY, in upper or lower case'],
  },
  timeout: {
    name: 'Timeout',
    description: 'Seconds to wait for a connection, for response headers or for more data',
    flag: 'timeout',
    environment: ['SVC_TIMEOUT'],
    key: 'timeout',
    fallback: 30,
  },
  retries: {
    name: 'Retries',
    description: 'Maximum number of retries of a request',
    flag: 'retries',
    environment: ['SVC_RETRIES'],
    key: 'retries',
    fallback: 5,
  },
  max_wait: {
    name: 'Maximum wait',
    description: 'Maximum number of seconds to wait before a retry',
    flag: 'max-wait',
    environment: ['SVC_MAX_WAIT'],
    key: 'max_wait',
    fallback: 60,
  },
  output: {
    name: 'Output',
    description: 'The output format',
    flag: 'output',
    environment: ['SVC_OUTPUT'],
    key: 'output',
    fallback: 'table',
  },
} as const satisfies Readonly<Record<string, SettingEntry>>;

/** Return the settings with their sources in order of precedence, for the documentation. */
export function settingDocs() {
  return Object.values<SettingEntry>(settingTable).map(
    ({ name, description, flag, environment, key, pipeline, fallback }) => ({
      name,
      description,
      sources: [
        flag ? `flag --${flag}` : '',
        environment ? `environment ${environment.join(', then ')}` : '',
        key ? `profile ${key}` : '',
        pipeline ? `pipeline ${pipeline.join(', then ')}` : '',
        fallback ? `default ${fallback}` : '',
      ].filter(Boolean),
      ...(pipeline ? { pipeline: pipeline.join(', then ') } : {}),
    }),
  );
}
