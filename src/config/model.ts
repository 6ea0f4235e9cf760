/** The settings of a command and where they come from. */
import type { NumberRange } from '../support/number.ts';

/** The sources of a setting, by decreasing precedence (interface.md section 2). */
export const sources = ['flag', 'environment', 'profile', 'pipeline', 'default'] as const;
export type Source = (typeof sources)[number];

export interface Setting<T> {
  readonly value: T;
  readonly source: Source;
  /** The name of the flag, variable or profile: `--base-url`, `SVC_BASE_URL`, `profile "work"`. */
  readonly from: string;
}

/** The valid values of the settings that are numbers. Timers of Node accept at most 2^31 ms, which is 24 days. */
export const settingRanges = {
  timeout: { kind: 'number', unit: 'seconds', min: 0.001, max: 24 * 86_400 },
  max_wait: { kind: 'number', unit: 'seconds', min: 0, max: 24 * 86_400 },
  retries: { kind: 'int', min: 0, max: 999 },
} as const satisfies Readonly<Record<string, NumberRange>>;

export const authKinds = ['access', 'job', 'bearer'] as const;
/** Which token to send. `bearer` sends the access token, or else the job token, in an Authorization header. */
export type Auth = (typeof authKinds)[number];

/** What the service said about a token when it was stored. */
export interface TokenOwner {
  /** `mia (user 3)` */
  readonly user?: string;
  readonly scopes?: readonly string[];
}

/** A token that has not been read yet, and the server that may receive it. */
export interface TokenSource {
  readonly source: Source;
  /** `SVC_TOKEN`, `profile "work" (token_command)`. */
  readonly from: string;
  /** The only origin that may receive the token. Absent: any origin may. Undefined: no origin may, because the right one is unknown. */
  readonly origin?: string | undefined;
  readonly owner?: TokenOwner;
  /** Return the token, which is known without a file or a command: to mask it if another server repeats it. */
  readonly known?: () => string | undefined;
  /** @throws Failure `usage` if the token cannot be read or sent in a header; the message never contains the token */
  readonly read: () => Promise<{ readonly token: string; readonly warnings: readonly string[] }>;
}

/** The settings in effect. They contain no token: `credentialFor` reads it when it is needed. */
export interface Settings<Format extends string = string> {
  readonly profile: Setting<string> | undefined;
  /** As given; `apiRoot` converts it to the root of the API. */
  readonly baseUrl: Setting<string> | undefined;
  /** Absent: chosen by the tokens that exist. */
  readonly auth: Setting<Auth> | undefined;
  readonly accessToken: TokenSource | undefined;
  readonly jobToken: TokenSource | undefined;
  readonly project: Setting<string> | undefined;
  readonly group: Setting<string> | undefined;
  readonly caFile: Setting<string> | undefined;
  readonly clientCert: Setting<string> | undefined;
  readonly clientKey: Setting<string> | undefined;
  readonly insecure: Setting<boolean>;
  /** Refuse every request but GET and HEAD. */
  readonly readOnly: Setting<boolean>;
  /** The path of the audit log. */
  readonly auditLog: Setting<string> | undefined;
  readonly httpProxy: Setting<string> | undefined;
  readonly httpsProxy: Setting<string> | undefined;
  readonly noProxy: Setting<string> | undefined;
  /** Milliseconds. */
  readonly timeout: Setting<number>;
  readonly retries: Setting<number>;
  /** Milliseconds. */
  readonly maxWait: Setting<number>;
  readonly output: Setting<Format>;
}
