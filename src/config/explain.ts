import { Failure } from '../errors.ts';
import { mask } from '../support/mask.ts';
import { withoutUser } from '../support/url.ts';
import type { Setting, Settings, Source } from './model.ts';
import { scopePath } from './scope.ts';

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
  const names = Object.keys(settings) as (keyof Settings)[];
  return names.flatMap((name) => {
    const given = settings[name];
    // Besides the settings, a session has lists of warnings and profiles.
    if (Array.isArray(given)) return [];
    const setting =
      name === 'accessToken' ? 'token' : name.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);
    if (!given) return { setting, value: null, source: null, from: null };
    // A token has no value here: it is read when a request needs it.
    const value = 'value' in given ? shown(name, given, settings) : mask;
    return { setting, value, source: given.source, from: given.from };
  });
}

function shown(
  name: keyof Settings,
  given: Setting<string | number | boolean>,
  { baseUrl }: Settings,
): string {
  const value = String(given.value);
  switch (name) {
    case 'timeout':
    case 'maxWait':
      return `${Number(value) / 1000} s`;
    // The URL of a proxy can contain a user name and password.
    case 'baseUrl':
    case 'httpProxy':
    case 'httpsProxy':
      return withoutUser(value);
    // As requests contain it, or as given if it is invalid.
    case 'project':
    case 'group':
      try {
        return scopePath(name, { ...given, value }, baseUrl?.value);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return withoutUser(value);
      }
    default:
      return value;
  }
}
