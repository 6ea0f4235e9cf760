/** All settings and their sources, for the manual and the reference. */

interface Setting {
  readonly name: string;
  readonly description: string;
  /** Without dashes. */
  readonly flag?: string;
  readonly environment?: string;
  /** The key in a profile. */
  readonly key?: string;
  readonly pipeline?: string;
  readonly fallback?: string;
}

/** The settings that `src/config` resolves. */
export const settings: readonly Setting[] = [
  {
    name: 'Profile',
    description: 'The stored profile to use',
    flag: 'profile',
    environment: 'SVC_PROFILE',
    fallback: 'the current profile, set by `svc profiles use`',
  },
  {
    name: 'Base URL',
    description: 'The URL of the service. It may have a path prefix, and may end with /api/v4 or a slash',
    flag: 'base-url',
    environment: 'SVC_BASE_URL',
    key: 'base_url',
    pipeline: 'CI_API_V4_URL, then CI_SERVER_URL',
  },
  {
    name: 'Access token',
    description:
      'A personal, project or group access token. svc sends it only to the origin that it was stored for, and does not accept it on the command line',
    flag: 'token-file',
    environment: 'SVC_TOKEN',
    key: 'token, token_command (a command that prints the token) or token_env (the name of a variable)',
  },
  {
    name: 'Origin of the token',
    description: 'The scheme, host and port to which the token of the profile is sent. `svc login` sets it',
    key: 'origin',
    fallback: 'the origin of the base URL of the profile',
  },
  {
    name: 'Owner of the token',
    description:
      'The user and the scopes of the token, as the service reported them to `svc login`. Errors mention them; nothing else depends on them',
    key: 'user, scopes',
  },
  {
    name: 'Job token',
    description: 'The token of a running CI job. Few endpoints accept it. `--auth job` selects it',
    environment: 'SVC_JOB_TOKEN',
    pipeline: 'CI_JOB_TOKEN',
  },
  {
    name: 'Kind of token',
    description:
      'access, job, or bearer. bearer sends the access token, or the job token if there is none, in an Authorization header',
    flag: 'auth',
    environment: 'SVC_AUTH',
    key: 'auth',
    fallback: 'the access token, or the job token if there is none',
  },
  {
    name: 'Project',
    description: 'The project to use, by ID or full path',
    flag: 'project',
    environment: 'SVC_PROJECT',
    key: 'project',
    pipeline: 'CI_PROJECT_ID',
  },
  {
    name: 'Group',
    description: 'The group to use, by ID or full path',
    flag: 'group',
    environment: 'SVC_GROUP',
    key: 'group',
  },
  {
    name: 'CA file',
    description: 'A PEM file with additional certificate authorities to trust',
    flag: 'ca-file',
    environment: 'SVC_CA_FILE, then NODE_EXTRA_CA_CERTS',
    key: 'ca_file',
    pipeline: 'CI_SERVER_TLS_CA_FILE',
  },
  {
    name: 'Insecure',
    description: 'Skip verification of the certificate of the service. svc prints a warning each time',
    flag: 'insecure',
    key: 'insecure',
    fallback: 'false',
  },
  {
    name: 'Read-only mode',
    description:
      'Refuse every request but GET and HEAD, also in `svc api` and in commands that make several requests. One of the sources is enough, and no flag turns it off. 0 in the variable means off',
    flag: 'read-only',
    environment: 'SVC_READ_ONLY',
    key: 'read_only',
    fallback: 'off',
  },
  {
    name: 'Audit log',
    description:
      'A file to which svc appends one line of JSON before and one after each request that can change something, with secrets masked. If the file cannot be written, the request is not sent',
    environment: 'SVC_AUDIT_LOG',
    fallback: 'no log',
  },
  {
    name: 'Client certificate and key',
    description: 'PEM files for TLS client authentication',
    key: 'client_cert, client_key',
  },
  {
    name: 'Proxy',
    description: 'The proxy for HTTP and HTTPS requests, except to loopback addresses such as localhost',
    environment: 'HTTP_PROXY, HTTPS_PROXY, NO_PROXY, in upper or lower case',
  },
  {
    name: 'Timeout',
    description: 'Seconds to wait for a connection, for response headers or for more data',
    flag: 'timeout',
    environment: 'SVC_TIMEOUT',
    key: 'timeout',
    fallback: '30',
  },
  {
    name: 'Retries',
    description: 'Maximum number of retries of a request',
    flag: 'retries',
    environment: 'SVC_RETRIES',
    key: 'retries',
    fallback: '5',
  },
  {
    name: 'Maximum wait',
    description: 'Maximum number of seconds to wait before a retry',
    flag: 'max-wait',
    environment: 'SVC_MAX_WAIT',
    key: 'max_wait',
    fallback: '60',
  },
  {
    name: 'Output',
    description: 'The output format',
    flag: 'output',
    environment: 'SVC_OUTPUT',
    key: 'output',
    fallback: 'table',
  },
];

/** Return the sources of a setting in order of precedence. */
export function sourcesOf(setting: Setting): string[] {
  return [
    setting.flag ? `flag --${setting.flag}` : '',
    setting.environment ? `environment ${setting.environment}` : '',
    setting.key ? `profile ${setting.key}` : '',
    setting.pipeline ? `pipeline ${setting.pipeline}` : '',
    setting.fallback ? `default ${setting.fallback}` : '',
  ].filter(Boolean);
}
