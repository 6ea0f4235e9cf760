/** Every setting and where it may come from, for the manual and the reference. */

interface Setting {
  readonly name: string;
  readonly does: string;
  /** The flag, without dashes, where there is one. */
  readonly flag?: string;
  readonly environment?: string;
  /** The key in a profile. */
  readonly key?: string;
  readonly pipeline?: string;
  readonly fallback?: string;
}

/** interface.md section 2, with what `config/` reads. */
export const settings: readonly Setting[] = [
  {
    name: 'Profile',
    does: 'Which of the stored profiles counts',
    flag: 'profile',
    environment: 'SVC_PROFILE',
    fallback: 'the current profile, set by `svc profiles use`',
  },
  {
    name: 'Base URL',
    does: 'The service, with or without /api/v4, with a path prefix, with a trailing slash',
    flag: 'base-url',
    environment: 'SVC_BASE_URL',
    key: 'base_url',
    pipeline: 'CI_API_V4_URL as it is, else CI_SERVER_URL',
  },
  {
    name: 'Access token',
    does: 'A personal, project or group access token. It is sent to the origin that it was stored for and nowhere else, and never taken from the command line',
    flag: 'token-file',
    environment: 'SVC_TOKEN',
    key: 'token, token_command (a command that prints it) or token_env (a variable that holds it)',
  },
  {
    name: 'Origin of the token',
    does: 'The scheme, host and port that the profile keeps its token for; `svc auth login` writes it',
    key: 'origin',
    fallback: 'that of the base URL of the profile',
  },
  {
    name: 'Job token',
    does: 'The token of a running CI job. Few calls take one: `--auth job` chooses it',
    environment: 'SVC_JOB_TOKEN',
    pipeline: 'CI_JOB_TOKEN',
  },
  {
    name: 'Kind of token',
    does: 'access, job or bearer (the access token, else the job token, in an Authorization header)',
    flag: 'auth',
    environment: 'SVC_AUTH',
    key: 'auth',
    fallback: 'whichever token there is, the access token first',
  },
  {
    name: 'Project',
    does: 'Where a call lives that needs a project: its number or its full path',
    flag: 'project',
    environment: 'SVC_PROJECT',
    key: 'project',
    pipeline: 'CI_PROJECT_ID',
  },
  {
    name: 'Group',
    does: 'Where a call lives that needs a group: its number or its full path',
    flag: 'group',
    environment: 'SVC_GROUP',
    key: 'group',
  },
  {
    name: 'CA file',
    does: 'Certificates to trust besides the usual ones, in PEM',
    flag: 'ca-file',
    environment: 'SVC_CA_FILE, then NODE_EXTRA_CA_CERTS',
    key: 'ca_file',
    pipeline: 'CI_SERVER_TLS_CA_FILE',
  },
  {
    name: 'Insecure',
    does: 'Whether the certificate of the service is left unchecked; svc warns of it each time',
    flag: 'insecure',
    key: 'insecure',
    fallback: 'false',
  },
  {
    name: 'Client certificate and key',
    does: 'PEM files to identify this client with',
    key: 'client_cert, client_key',
  },
  {
    name: 'Proxy',
    does: 'The proxy for http and https',
    environment: 'HTTP_PROXY, HTTPS_PROXY, NO_PROXY, or lower case',
  },
  {
    name: 'Timeout',
    does: 'Seconds to wait for a connection, for headers and in each silence',
    flag: 'timeout',
    environment: 'SVC_TIMEOUT',
    key: 'timeout',
    fallback: '30',
  },
  {
    name: 'Retries',
    does: 'How often a request is tried again',
    flag: 'retries',
    environment: 'SVC_RETRIES',
    key: 'retries',
    fallback: '5',
  },
  {
    name: 'Longest wait',
    does: 'Seconds that one wait before a retry may last',
    flag: 'max-wait',
    environment: 'SVC_MAX_WAIT',
    key: 'max_wait',
    fallback: '60',
  },
  {
    name: 'Output',
    does: 'How answers are printed',
    flag: 'output',
    environment: 'SVC_OUTPUT',
    key: 'output',
    fallback: 'table',
  },
];

/** Where each value of a setting comes from, in the order of precedence. */
export function sourcesOf(setting: Setting): string[] {
  return [
    setting.flag ? `flag --${setting.flag}` : '',
    setting.environment ? `environment ${setting.environment}` : '',
    setting.key ? `profile ${setting.key}` : '',
    setting.pipeline ? `pipeline ${setting.pipeline}` : '',
    setting.fallback ? `default ${setting.fallback}` : '',
  ].filter(Boolean);
}
