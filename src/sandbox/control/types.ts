/**
 * The types of the control interface, which are also the types of the package. The build publishes this file unchanged, so it imports
 * nothing.
 */

/** The effect on matching requests. It needs `status`, `latency` or `cut`. */
interface FaultEffect {
  /** Respond with this status, 400 to 599, and do not run the request. */
  readonly status?: number | undefined;
  /** Seconds for the `Retry-After` header. Requires `status`. */
  readonly retry_after?: number | undefined;
  /** Milliseconds to wait before the request runs. */
  readonly latency?: number | undefined;
  /** Close the connection before the headers, or in the body. Without `status`, the request runs first. */
  readonly cut?: 'headers' | 'body' | undefined;
  /** Number of requests that are left. Without it, the fault remains until it is removed. */
  readonly times?: number | undefined;
  /** Share of the matching requests, greater than 0 and at most 1. */
  readonly probability?: number | undefined;
  /** Makes `probability` repeatable. */
  readonly seed?: number | undefined;
}

export interface Fault extends FaultEffect {
  /** A method or `*`, and a path in which `*` is one segment and `**` one or more. */
  readonly match: string;
}

export interface LoggedRequest {
  readonly id: number;
  /** By the clock of the sandbox, ISO 8601. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  /** Secrets are masked, as in `body`. */
  readonly query: string;
  readonly status: number;
  /** Milliseconds. */
  readonly duration: number;
  /** The username; null without a valid token. */
  readonly caller: string | null;
  /** The fields of a JSON body or form, a description of another body, or null. */
  readonly body: unknown;
  /** The `match` of the fault that applied, or null. */
  readonly fault: string | null;
}

export interface ClockTime {
  /** ISO 8601. */
  readonly now: string;
  /** Milliseconds that the clock is ahead of the system. */
  readonly offset: number;
}

export interface Snapshot {
  readonly name: string;
  /** By the clock of the sandbox, ISO 8601. */
  readonly created_at: string;
}

export interface Emitted {
  readonly event: string;
  /** The full path. */
  readonly project: string;
  /** Number of hooks that get the event: they subscribe to it and are not disabled. */
  readonly hooks: number;
}

export interface SandboxOptions {
  /** A free port by default. */
  readonly port?: number | undefined;
  /** The time at which the clock starts: ISO 8601, or a date. By default, the time of the system. */
  readonly now?: string | Date | undefined;
  /** A YAML or JSON file of users, groups and projects to add to the seed data, and of state documents. */
  readonly seedFile?: string | undefined;
  /** The result of the spam check of content (default: off). */
  readonly spam?: 'off' | 'reject' | 'captcha' | undefined;
  /** The license (default: ultimate). */
  readonly tier?: 'free' | 'premium' | 'ultimate' | undefined;
  /** Feature flags that are off (default: none). */
  readonly withoutFeatures?:
    | readonly ('approval_group_rules' | 'epic_color' | 'web_hook_event_resend_api_endpoint_rate_limit')[]
    | undefined;
}

/** A sandbox for tests, in the memory of this process. */
export interface TestSandbox {
  /** `http://127.0.0.1:49152`. The API is below `/api/v4`. */
  readonly url: string;
  /** Access tokens by role: admin, owner, maintainer, developer, reporter, guest, outsider, readonly. `job` is a job token. */
  readonly tokens: {
    readonly [role in
      | 'admin'
      | 'owner'
      | 'maintainer'
      | 'developer'
      | 'reporter'
      | 'guest'
      | 'outsider'
      | 'readonly'
      | 'job']: string;
  };
  /** Resources of the seed data. */
  readonly ids: {
    readonly project: number;
    readonly project_path: string;
    readonly group: number;
    readonly group_path: string;
    readonly pipeline: number;
    readonly job: number;
    /** The iid. */
    readonly merge_request: number;
    /** The administrator. */
    readonly user: number;
  };
  readonly faults: {
    /** Add a fault: `add('POST /projects/*', { status: 429, retry_after: 1, times: 2 })`. */
    add(match: string, effect: FaultEffect): Promise<Fault>;
    list(): Promise<Fault[]>;
    clear(): Promise<void>;
  };
  readonly clock: {
    show(): Promise<ClockTime>;
    /** Set the time: ISO 8601, or a date. */
    set(time: string | Date): Promise<ClockTime>;
    /** Advance by a duration such as `8d`, `1h30m`, or by seconds. */
    advance(duration: string | number): Promise<ClockTime>;
  };
  /** Copies of the whole state under names: rows, files, git repositories, faults and clock. */
  readonly snapshots: {
    save(name: string): Promise<Snapshot>;
    load(name: string): Promise<void>;
    list(): Promise<Snapshot[]>;
    delete(name: string): Promise<void>;
  };
  readonly requests: {
    /**
     * The last requests, at most 1,000, oldest first.
     * @param options `limit`: only the newest; `after`: only those with a greater id
     */
    list(options?: {
      readonly limit?: number | undefined;
      readonly after?: number | undefined;
    }): Promise<LoggedRequest[]>;
    clear(): Promise<void>;
  };
  /** Send a sample of a webhook event, such as `pipeline`, to the hooks of a project. */
  emit(event: string, project: number | string): Promise<Emitted>;
  /** Start again with the seed data. Snapshots are kept. */
  reset(): Promise<void>;
  /** Stop the sandbox and close its connections. */
  close(): Promise<void>;
}
