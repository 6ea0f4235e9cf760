import { Failure } from '../errors.ts';
import { mask } from '../support/mask.ts';
import { withoutUser } from '../support/url.ts';
import type { Setting, Settings, Source, TokenSource } from './model.ts';
import { type ScopeName, scopePath } from './scope.ts';

/** A row of `svc config explain`. */
export interface Explanation {
  readonly setting: string;
  /** Null if the setting has no value. Secrets are masked. */
  readonly value: string | null;
  readonly source: Source | null;
  readonly from: string | null;
}

/** Return each setting with its value and source (interface.md section 2). */
export function explain(settings: Settings): Explanation[] {
  const { timeout, maxWait } = settings;
  return [
    row('profile', settings.profile),
    row('base_url', url(settings.baseUrl)),
    row('auth', settings.auth),
    row('token', secret(settings.accessToken)),
    row('job_token', secret(settings.jobToken)),
    row('project', normalized('project', settings)),
    row('group', normalized('group', settings)),
    row('ca_file', settings.caFile),
    row('client_cert', settings.clientCert),
    row('client_key', settings.clientKey),
    row('insecure', settings.insecure),
    row('read_only', settings.readOnly),
    row('audit_log', settings.auditLog),
    row('http_proxy', url(settings.httpProxy)),
    row('https_proxy', url(settings.httpsProxy)),
    row('no_proxy', settings.noProxy),
    row('timeout', { ...timeout, value: `${timeout.value / 1000} s` }),
    row('retries', settings.retries),
    row('max_wait', { ...maxWait, value: `${maxWait.value / 1000} s` }),
    row('output', settings.output),
  ];
}

function row(setting: string, given: Setting<string | number | boolean> | undefined): Explanation {
  if (!given) return { setting, value: null, source: null, from: null };
  return { setting, value: String(given.value), source: given.source, from: given.from };
}

function secret(source: TokenSource | undefined): Setting<string> | undefined {
  return source && { value: mask, source: source.source, from: source.from };
}

/** The project or group as requests contain it, or as given if it is invalid. */
function normalized(scope: ScopeName, settings: Settings): Setting<string> | undefined {
  const given = settings[scope];
  if (!given) return undefined;
  try {
    return { ...given, value: scopePath(scope, given, settings.baseUrl?.value) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...given, value: withoutUser(given.value) };
  }
}

/** Mask a user name and password, which the URL of a proxy can contain. */
function url(given: Setting<string> | undefined): Setting<string> | undefined {
  return given && { ...given, value: withoutUser(given.value) };
}
