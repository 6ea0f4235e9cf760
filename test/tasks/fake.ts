/** A task context without a network: responses are given, and everything that the task does is recorded. */
import { endpointCommand } from '../../src/spec/command.ts';
import type { Endpoint } from '../../src/spec/endpoint.ts';
import { type Call, plan } from '../../src/spec/request.ts';
import type { Row } from '../../src/spec/resource.ts';
import { done, type Result } from '../../src/spec/result.ts';
import { collect } from '../../src/support/bytes.ts';
import type { Response, TaskContext, TaskLine } from '../../src/tasks/context.ts';

export interface Setting {
  readonly endpoint: Endpoint;
  readonly line?: Partial<TaskLine>;
  readonly dryRun?: boolean;
  /** The text of a response that is not JSON. */
  readonly text?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The validated call. */
  readonly prepared?: Partial<Call>;
  /** The rows of each list that is read. */
  readonly list?: (call: Call) => readonly Row[];
  /** The response to each call, in order; the last one repeats. An error is thrown. */
  readonly responses?: readonly (object | Error)[];
}

/** A response with this body. */
export function resultOf(value: object, accepted = false): Response {
  return { value: { ...value }, bytes: Buffer.from(JSON.stringify(value)), accepted };
}

const parsed = async <T>(body: AsyncIterable<Uint8Array>): Promise<T> =>
  JSON.parse((await collect(body)).toString('utf8'));

export function fakeTask(setting: Setting) {
  const { endpoint, prepared, responses = [{}] } = setting;
  let now = 0;
  const recorded = {
    calls: [] as Call[],
    printed: [] as Response['value'][],
    rows: [] as object[],
    notes: [] as string[],
    done: [] as string[],
    progress: [] as string[],
    pauses: [] as number[],
    progressEnded: 0,
  };
  const indicator = (begin: string) => {
    recorded.progress.push(begin);
    return {
      step: (next = '') => void recorded.progress.push(next),
      end() {
        recorded.progressEnded += 1;
      },
    };
  };
  const task: TaskContext = {
    browse: async () => '',
    openView: async () => undefined,
    openCopy: () => Promise.reject(new Error('a fake has no copy')),
    resumeCommand: (words) => `svc ${words.join(' ')}`,
    command: endpointCommand('area', [endpoint], () => []),
    line: { args: {}, fields: {}, options: {}, words: [], tail: [], repeated: [], ...setting.line },
    dryRun: setting.dryRun ?? false,
    isOneOfSeveral: false,
    requireWrite: () => {},
    canPrompt: false,
    now: () => now,
    env: (name) => setting.env?.[name],
    prepare: async (change) => ({
      endpoint: change?.endpoints?.[0] ?? endpoint,
      ...{ slots: {}, values: {}, ...prepared },
    }),
    async text(call) {
      recorded.calls.push(call);
      return setting.text ?? '';
    },
    appended: () => async function* () {},
    run: async () => done(),
    async call(call) {
      const response = responses[Math.min(recorded.calls.length, responses.length - 1)];
      recorded.calls.push(call);
      if (response instanceof Error) throw response;
      return response && 'bytes' in response ? (response as Response) : resultOf(response ?? {});
    },
    async *rows(call) {
      recorded.calls.push(call);
      yield* setting.list?.(call) ?? [];
    },
    server: () => 'https://host.example/api/v4',
    post: async () => ({ status: 200, text: '' }),
    async openState() {
      throw new Error('not available');
    },
    signal: new AbortController().signal,
    warn: (text) => void recorded.notes.push(`warning: ${text}`),
    url: (call) => plan(call).target,
    scopeId: (_scope, value) => value,
    target: () => undefined,
    format: undefined,
    async write() {},
    withoutTokens: (value) => value,
    paint: async () => true,
    async folder() {
      return undefined;
    },
    async showPlan() {},
    unicode: true,
    async confirm() {},
    path: (typed) => typed,
    stateFile: async (name) => name,
    spawn: async () => 0,
    openEditor: async () => 0,
    requests: async () => ({ kind: 'requests', requests: [] }),
    response: ({ bytes }, described, frame) => ({
      kind: 'written',
      endpoint: described,
      write: described,
      body: bytes,
      ...frame,
    }),
    confirmed() {},
    note: (text) => void recorded.notes.push(text),
    progress: (label, total) => indicator(`${label}: ${total ?? 'unknown'}`),
    waiting: (state) => indicator(state),
    async pause(milliseconds) {
      recorded.pauses.push(milliseconds);
      now += milliseconds;
    },
    read: (path) => Promise.reject(new Error(`no such file: ${path}`)),
    askSecret: async () => undefined,
    conceal() {},
    download: async () => undefined,
  };
  /** Record a result like the program, which prints it. @throws its failure */
  const take = async (result: Promise<Result>): Promise<Result> => {
    const taken = await result;
    if (taken.kind === 'rows')
      for await (const page of taken.pages) recorded.rows.push(...(await parsed<object[]>(page)));
    if (taken.kind === 'object') recorded.printed.push(await parsed(taken.body));
    if (taken.kind === 'written') recorded.printed.push(JSON.parse(String(taken.body)));
    for (const { how, text } of taken.notes ?? [])
      if (how === 'done') recorded.done.push(text);
      else task[how === 'warn' ? 'warn' : 'note'](text);
    if (taken.failure) throw taken.failure;
    return taken;
  };
  return { task, take, ...recorded, recorded };
}
