/** `--dry-run` and `--curl`: describe a request instead of sending it. */
import { usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { masked, maskedUrl } from '../../spec/mask.ts';
import { isFilePart, type Plan, type Value, type Values } from '../../spec/request.ts';
import type { PlannedRequest } from '../../spec/result.ts';
import { jsonText } from '../../support/json.ts';
import { mask } from '../../support/mask.ts';
import { shellQuote } from '../../support/shell.ts';
import { printableJson } from '../../support/text/printable.ts';
import type { Session } from '../session/model.ts';
import { type RequestBase, requestBase } from './build.ts';

/** The variables of the shell in curl commands, by the name and the value of their secret. */
type Variables = Map<string, string>;

/** Those of a program run. The sessions of the targets of `svc each` have the same connection. */
const named = new WeakMap<object, Variables>();

const maxLength = 32 * 1024 * 1024;

/** Print requests, one per line: as a curl command for `--curl`, otherwise as JSON. @throws Failure `usage` for a body that is too large to print */
export async function printRequests(session: Session, requests: readonly PlannedRequest[]): Promise<void> {
  const variables = named.get(session.root) ?? new Map<string, string>();
  named.set(session.root, variables);
  const lines: string[] = [];
  for (const { endpoint, plan, headers = [] } of requests) {
    const base = await requestBase(session, endpoint);
    const root = plan.target.startsWith('/') ? base.root : '';
    const own = { ...base, root, extra: [...base.extra, ...headers] };
    const line = requestLine(session, endpoint, plan, own, variables);
    lines.push(line);
    session.context.stdout.write(`${line}\n`);
  }
  const names = [...variables.values()].filter((name) => lines.some((line) => line.includes(`"$${name}"`)));
  if (names.length > 0)
    session.notes.say(`Set ${names.join(' and ')} first, with the characters escaped as in JSON.`);
}

function requestLine(
  { options, terminal }: Session,
  { takes }: Endpoint,
  plan: Plan,
  base: RequestBase,
  variables: Variables,
): string {
  if (plan.json && jsonText(plan.json).length > maxLength)
    throw usage('the request body is too large to print', 'request not sent');
  const showSecrets = options.showSecrets === true;
  const { secrets, ...requested } = plan;
  const [visible, outgoing] = showSecrets
    ? [requested, base]
    : terminal.withoutTokens([requested, base] as const);
  const url = `${outgoing.root}${visible.target}`;
  const described: Described = {
    plan: visible,
    outgoing,
    url: showSecrets ? url : maskedUrl(url, takes),
    showSecrets,
    // Masking replaces text with text, so the type does not change.
    mask: (values, replace) => (showSecrets ? values : (masked(values, takes, replace, secrets) as Values)),
  };
  return options.curl === true ? toCurl(described, variables) : printableJson(toJson(described));
}

interface Described {
  readonly plan: Plan;
  readonly outgoing: RequestBase;
  readonly url: string;
  readonly showSecrets: boolean;
  /** Mask the secrets in a body. @param replace returns the text in place of a secret with this name */
  readonly mask: (values: Values, replace?: (name: string, secret: unknown) => string) => Values;
}

function toJson({ plan, outgoing, url, showSecrets, mask: hide }: Described): string {
  const headers: Record<string, string> = {};
  if (outgoing.credential) {
    const [name, value] = outgoing.credential.header;
    headers[name] = showSecrets ? value : mask;
  }
  // A repeated header is one list (RFC 9110 section 5.2).
  for (const [name, value] of outgoing.extra)
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  if (plan.json) headers['content-type'] = 'application/json';
  if (plan.multipart) headers['content-type'] = 'multipart/form-data';
  const body = plan.json ?? (plan.multipart && Object.fromEntries(plan.multipart.map(partEntry)));
  return jsonText({ method: plan.method, url, headers, ...(body && { body: hide(body) }) });
}

/** `{"<field>":{"file":"<name>","size":n}}` */
function partEntry({ name, value }: NonNullable<Plan['multipart']>[number]): [string, Value] {
  if (!isFilePart(value)) return [name, value];
  return [name, { file: value.filename, ...(value.size === undefined ? {} : { size: value.size }) }];
}

/** `--curl`: the request as a command line, with secrets as variables of the shell. */
function toCurl({ plan, outgoing, url, mask: hide }: Described, variables: Variables): string {
  const words = ['curl', '--fail-with-body', '--silent', '--show-error'];
  if (plan.method === 'HEAD') words.push('--head');
  else if (plan.method !== 'GET') words.push('--request', plan.method);
  if (outgoing.credential) {
    const { kind, header } = outgoing.credential;
    const variable = kind === 'job' ? '$SVC_JOB_TOKEN' : '$SVC_TOKEN';
    const scheme = header[0] === 'authorization' ? 'Bearer ' : '';
    words.push('--header', `"${header[0]}: ${scheme}${variable}"`);
  }
  for (const [name, value] of outgoing.extra) words.push('--header', shellQuote(`${name}: ${value}`));
  if (plan.json) {
    const body = quotedBody(plan.json, hide, variables);
    words.push('--header', shellQuote('content-type: application/json'), '--data-binary', body);
  }
  for (const { name, value } of plan.multipart ?? []) {
    if (!isFilePart(value)) words.push('--form-string', shellQuote(`${name}=${value}`));
    else {
      const file = `${formQuote(value.file)};filename=${formQuote(value.filename)}`;
      words.push('--form', shellQuote(`${name}=@${file};type=application/octet-stream`));
    }
  }
  return [...words, '--globoff', shellQuote(url)].join(' ');
}

/** Quote for --form of curl, in which `;` and `,` would end a name. */
function formQuote(text: string): string {
  return /^[\w@%+=:./-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** A JSON body as a word of a shell, with each secret as a variable of the shell. */
function quotedBody(body: Values, hide: Described['mask'], variables: Variables): string {
  const plain = jsonText(body);
  let marker = '@';
  while (plain.includes(marker)) marker += '@';
  const shown = hide(body, (name, secret) => {
    const key = jsonText([name, secret]);
    const variable = `SECRET_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
    const same = [...variables.values()].filter((one) => one === variable || one.startsWith(`${variable}_`));
    const chosen = variables.get(key) ?? (same.length === 0 ? variable : `${variable}_${same.length + 1}`);
    variables.set(key, chosen);
    return `${marker}${chosen}${marker}`;
  });
  return shellQuote(printableJson(jsonText(shown)))
    .split(marker)
    .map((part, at) => (at % 2 === 0 ? part : `'"$${part}"'`))
    .join('');
}
