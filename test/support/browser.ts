/** A headless Chromium, controlled with the DevTools protocol over a pipe. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { until } from './process.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** Return the path of Chromium, if it is installed. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync);
}

interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

export class Browser {
  /** Errors that pages reported: exceptions, console errors and failed requests. */
  readonly errors: string[] = [];
  /** The URLs that pages requested. */
  readonly requests: string[] = [];
  private session = '';
  private count = 0;
  private readonly calls = new Map<number, (message: Message) => void>();
  private waiting: { readonly event: string; readonly resolve: () => void } | undefined;

  private readonly child: ChildProcess;
  private readonly profile: string;

  private constructor(child: ChildProcess, profile: string) {
    this.child = child;
    this.profile = profile;
    let buffered = '';
    const output = child.stdio[4] as Readable;
    output.setEncoding('utf8').on('data', (text: string) => {
      const messages = (buffered + text).split('\0');
      buffered = messages.pop() ?? '';
      for (const message of messages) this.receive(JSON.parse(message));
    });
  }

  static async open(program: string): Promise<Browser> {
    const profile = await mkdtemp(join(tmpdir(), 'svc-chromium-'));
    const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];
    const child = spawn(
      program,
      [...flags, '--remote-debugging-pipe', `--user-data-dir=${profile}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    const browser = new Browser(child, profile);
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
    browser.session = String(sessionId);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await browser.send(`${domain}.enable`);
    return browser;
  }

  async close(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.session = '';
    await this.send('Browser.close');
    await exited;
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  async send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    this.count += 1;
    const id = this.count;
    const answered = new Promise<Message>((resolve) => this.calls.set(id, resolve));
    const session = this.session ? { sessionId: this.session } : {};
    (this.child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    const { result = {}, error } = await answered;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async goto(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve) => {
      this.waiting = { event: 'Page.loadEventFired', resolve };
    });
    await this.send('Page.navigate', { url });
    await loaded;
  }

  /** Return the value of an expression, awaited. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = (await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })) as { result: { value: T }; exceptionDetails?: { text: string } };
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`);
    return result.value;
  }

  /** Wait until an expression is true. */
  until(expression: string): Promise<void> {
    return until(expression, () => this.evaluate<boolean>(expression));
  }

  async setWindow(width: number, height: number, scheme: 'light' | 'dark'): Promise<void> {
    const mobile = width < 600;
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile });
    await this.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: scheme }],
    });
  }

  private receive({ id, method, params = {}, ...rest }: Message): void {
    if (id !== undefined) {
      this.calls.get(id)?.(rest);
      this.calls.delete(id);
      return;
    }
    if (method === this.waiting?.event) this.waiting?.resolve();
    if (method === 'Network.requestWillBeSent')
      this.requests.push((params['request'] as { url: string }).url);
    const isError =
      method === 'Runtime.exceptionThrown' ||
      (method === 'Log.entryAdded' && (params['entry'] as { level: string }).level === 'error') ||
      (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(String(params['type'])));
    if (isError) this.errors.push(JSON.stringify(params));
  }
}
