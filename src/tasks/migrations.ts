/** `migrations create` without the source's token on the command line; `create` and `get` with `--wait`. */

import type { CommandLine } from '../cli/argv/parse.ts';
import type { Context } from '../cli/context.ts';
import type { Runner } from '../cli/overrides.ts';
import { type Failure, usage } from '../errors.ts';
import { commandName } from '../spec/arguments.ts';
import type { Endpoint } from '../spec/endpoint.ts';
import { text } from '../spec/field.ts';
import type { Value } from '../spec/request.ts';

const variable = 'SVC_SOURCE_TOKEN';

const sourceTokenFile = text(
  `File with the access token for the source; without it ${variable}, or a hidden prompt`,
  { placeholder: 'path' },
);

/** The calls of the area; the source's token has a flag of its own. */
export function weave(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.map((one) => {
    if (commandName(one) !== 'create') return one;
    const { configuration, ...takes } = one.takes;
    const { url } = configuration?.keys ?? {};
    return {
      ...one,
      doc: `${one.doc} The access token for the source comes from a file, from ${variable} or from a hidden prompt: never from the command line, where others can read it.`,
      takes: {
        ...(configuration && url ? { configuration: { ...configuration, keys: { url } } } : {}),
        source_token_file: sourceTokenFile,
        ...takes,
      },
    };
  });
}

const refusal = (): Failure =>
  usage('the token of the source is not given on the command line, where others can read it', [
    `use --source-token-file <path>, or ${variable}, or run this on a terminal to be asked`,
    'nothing was sent',
  ]);

const configuration = (line: CommandLine): readonly string[] =>
  (line.fields['configuration'] as readonly string[] | undefined) ?? [];

/** `access_token=@file`, `access_token=-`: the token is read from elsewhere. */
const pointer = /^access_token=(@[^@].*|-)$/s;

/** A token that stands in the words themselves is refused, and never repeated. */
function refuseLiteral(line: CommandLine): void {
  for (const word of configuration(line)) {
    if (word.startsWith('access_token=') && !pointer.test(word)) throw refusal();
  }
  const data = line.options.data;
  if (typeof data === 'string' && !data.startsWith('@') && data !== '-' && data.includes('access_token'))
    throw refusal();
}

const tokenLimit = 64 * 1024;

async function sourceToken(line: CommandLine, context: Context): Promise<string> {
  const file = line.fields['source_token_file'];
  if (typeof file === 'string') {
    const { createReader } = await import('../cli/argv/values.ts');
    const bytes = await createReader(context).bytes(file, '--source-token-file', tokenLimit);
    return checked(Buffer.from(bytes).toString('utf8').trim(), `--source-token-file ${file}`);
  }
  const given = context.env[variable];
  if (given) return checked(given.trim(), variable);
  const { ask, canAsk } = await import('../cli/terminal/prompt.ts');
  if (!canAsk(context, line.options)) {
    throw usage(
      'the access token for the source is missing',
      `use --source-token-file <path>, or ${variable}`,
    );
  }
  return checked(
    (await ask(context, 'Access token for the source (hidden): ', { hidden: true })).trim(),
    'the token',
  );
}

function checked(token: string, from: string): string {
  if (token === '' || token === '-') throw usage(`${from} holds no token`);
  if (/[\0-\x1f\x7f]/.test(token))
    throw usage(`${from} holds more than a token`, 'one line, and nothing else');
  return token;
}

/** The call as it is judged before the token is known. */
function withoutToken(endpoint: Endpoint): Endpoint {
  const { configuration, ...takes } = endpoint.takes;
  if (!configuration?.keys) return endpoint;
  const { access_token: token, ...keys } = configuration.keys;
  if (!token) return endpoint;
  const { required: _, ...optional } = token;
  return {
    ...endpoint,
    takes: { configuration: { ...configuration, keys: { ...keys, access_token: optional } }, ...takes },
  };
}

const create: Runner = async (leaf, line, context) => {
  const [{ makeMigration }, { default: migrations }, { prepare }] = await Promise.all([
    import('./waiting.ts'),
    import('../api/migrations.ts'),
    import('../cli/request/validate.ts'),
  ]);
  refuseLiteral(line);
  const endpoint = migrations.endpoints.find((one) => commandName(one) === 'create') as Endpoint;
  const { source_token_file: _, ...fields } = line.fields;
  const prepared = await prepare(
    { ...leaf, endpoints: [withoutToken(endpoint)] },
    { ...line, fields },
    context,
  );
  try {
    const { configuration } = prepared.values as { readonly configuration: Readonly<Record<string, Value>> };
    const access_token = configuration['access_token'] ?? (await sourceToken(line, context));
    prepared.session.conceal([String(access_token)]);
    const values = { ...prepared.values, configuration: { ...configuration, access_token } };
    return await makeMigration({ ...prepared, endpoint, values });
  } finally {
    await prepared.session.close();
  }
};

const get: Runner = async (leaf, line, context) =>
  (await import('./waiting.ts')).getMigration(leaf, line, context);

export const runners = { create, get };
