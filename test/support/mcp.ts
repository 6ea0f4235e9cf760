/** A client of `svc mcp` in this process, with the official SDK and a sandbox in memory. */
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import { afterAll, onTestFinished } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { run } from '../../src/cli/run.ts';
import type { Request } from '../../src/http/transport.ts';
import { pause } from '../../src/support/waiting/pause.ts';
import { baseUrl, type Role, transportTo, type World } from './sandbox.ts';
import { contextWith, recording } from './svc.ts';

export interface AgentOptions {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly as?: Role;
  readonly transport?: Context['transport'];
}

/** The result of a call. */
export interface Called {
  /** The structured content, or the error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
  readonly value: any;
  readonly isError: boolean;
  /** The text of the first content. */
  readonly text: string;
  /** The texts of all contents. */
  readonly texts: readonly string[];
}

export interface Agent {
  readonly client: Client;
  readonly tools: readonly Tool[];
  /** The requests that reached the service. */
  readonly requests: Request[];
  /** Call a tool. The client checks the result against the output schema. */
  call(name: string, input?: Readonly<Record<string, unknown>>): Promise<Called>;
  /** All messages of the server. */
  messages(): string;
  err(): string;
  /** Close standard input. */
  end(): Promise<void>;
}

const validators = new Map<string, JsonSchemaValidator<never>>();
const ajv = new AjvJsonSchemaValidator();

/** Compiles a schema when it is first used, once for all clients: a test calls few of the tools. */
const lazyValidator: jsonSchemaValidator = {
  getValidator: (schema) => (input) => {
    const key = JSON.stringify(schema);
    const validate = validators.get(key) ?? ajv.getValidator<never>(schema);
    validators.set(key, validate);
    return validate(input);
  },
};

/** Messages over the streams of the server. */
function clientTransport(input: PassThrough, output: PassThrough): Transport {
  const buffer = new ReadBuffer({ maxBufferSize: 1 << 28 });
  const transport: Transport = {
    async start() {
      output.on('data', (chunk: Buffer) => {
        buffer.append(chunk);
        for (let next = buffer.readMessage(); next !== null; next = buffer.readMessage())
          transport.onmessage?.(next);
      });
    },
    async send(message) {
      input.write(serializeMessage(message));
    },
    async close() {
      transport.onclose?.();
    },
  };
  return transport;
}

/** Start a server and connect the official client to it. */
export async function openAgent(world: World, options: AgentOptions = {}): Promise<Agent> {
  const { as = 'admin', env, argv = [] } = options;
  const requests: Request[] = [];
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const texts = { out: '', err: '' };
  stdout.on('data', (chunk: Buffer) => {
    texts.out += chunk.toString('utf8');
  });
  stderr.on('data', (chunk: Buffer) => {
    texts.err += chunk.toString('utf8');
  });
  const open = options.transport ?? transportTo(world.sandbox);
  const token = as === 'none' ? {} : { SVC_TOKEN: `sandbox-${as}`, SVC_JOB_TOKEN: 'sandbox-job' };
  const context = contextWith({
    env: { SVC_BASE_URL: baseUrl, ...token, ...env },
    stdin,
    stdout,
    stderr,
    sleep: (milliseconds, signal) => pause(milliseconds / 100, signal),
    transport: recording(open, requests),
  });
  const ended = run(['mcp', ...argv], context);
  const client = new Client({ name: 'test', version: '1' }, { jsonSchemaValidator: lazyValidator });
  await client.connect(clientTransport(stdin, stdout));
  const { tools } = await client.listTools();
  return {
    client,
    tools,
    requests,
    async call(name, input = {}) {
      const result = await client.callTool({ name, arguments: { ...input } });
      const contents = (result.content as { type: string; text: string }[]).map(({ text }) => text);
      const [text = ''] = contents;
      const isError = result.isError === true;
      return {
        value: isError ? JSON.parse(text) : result.structuredContent,
        isError,
        text,
        texts: contents,
      };
    },
    messages: () => texts.out,
    err: () => texts.err,
    async end() {
      stdin.end();
      await ended;
      await client.close();
    },
  };
}

/** Open an agent that ends after all tests of the file or group. */
export async function sharedAgent(...given: Parameters<typeof openAgent>): Promise<Agent> {
  const agent = await openAgent(...given);
  afterAll(() => agent.end());
  return agent;
}

/** Open an agent that ends with the test. */
export async function testAgent(...given: Parameters<typeof openAgent>): Promise<Agent> {
  const agent = await openAgent(...given);
  onTestFinished(() => agent.end());
  return agent;
}
