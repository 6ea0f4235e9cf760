/** `--dry-run` and `--curl`: print the request instead of sending it (interface section 8). */
import type { Credential } from '../../config/credentials.ts';
import { usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { masked, maskedUrl } from '../../spec/mask.ts';
import { isFilePart, type Part, type Plan, textLength, type Value, type Values } from '../../spec/request.ts';
import { jsonText } from '../../support/json.ts';
import { mask } from '../../support/mask.ts';
import { shellQuote } from '../../support/shell.ts';
import { printableJson } from '../../support/text/printable.ts';
import type { Session } from '../session/model.ts';
import type { RequestBase } from './build.ts';

/** Whether requests are printed instead of sent. */
export function isDryRun({ options }: Session): boolean {
  return options.dryRun === true || options.curl === true;
}

/** Print a request on one line. */
export function printDryRun(session: Session, endpoint: Endpoint, plan: Plan, outgoing: RequestBase): void {
  const { options, context, terminal } = session;
  rejectLargeBody(plan);
  const shown = { showSecrets: options.showSecrets === true };
  const { secrets, ...requested } = plan;
  const all = [requested, outgoing] as const;
  const [values, request] = shown.showSecrets ? all : terminal.withoutTokens(all);
  const visible: Plan = { ...values, ...(secrets ? { secrets } : {}) };
  if (options.curl !== true) {
    context.stdout.write(`${printableJson(describe(endpoint, visible, request, shown))}\n`);
    return;
  }
  const { line, variables } = toCurl(endpoint, visible, request, shown);
  context.stdout.write(`${line}\n`);
  if (variables.length > 0)
    session.notes.say(
      `Set ${variables.join(' and ')} before you run it, with the characters escaped as in JSON.`,
    );
}

/** The longest body, in characters, that is printed. */
const maxLength = 32 * 1024 * 1024;

/** @throws Failure `usage` for a body that is too large to print */
function rejectLargeBody({ json }: Plan): void {
  if (json && textLength(json) > maxLength)
    throw usage('the request body is too large to print', 'request not sent');
}

interface Shown {
  readonly showSecrets: boolean;
}

/** `--dry-run`: the request as one JSON object. */
function describe(endpoint: Endpoint, plan: Plan, outgoing: RequestBase, { showSecrets }: Shown): string {
  const url = `${outgoing.root}${plan.target}`;
  const headers: Record<string, string> = {};
  if (outgoing.credential) {
    const [name, value] = outgoing.credential.header;
    headers[name] = showSecrets ? value : mask;
  }
  // A repeated header is one list (RFC 9110 section 5.2).
  for (const [name, value] of outgoing.extra ?? [])
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  if (plan.json) headers['content-type'] = 'application/json';
  if (plan.multipart) headers['content-type'] = 'multipart/form-data';
  const body = plan.json ? plan.json : plan.multipart ? parts(plan.multipart) : undefined;
  return jsonText({
    method: plan.method,
    url: showSecrets ? url : maskedUrl(url, endpoint.takes),
    headers,
    ...(body === undefined ? {} : { body: showSecrets ? body : maskedValues(body, endpoint, plan) }),
  });
}

/** Masking replaces text with text, so the type does not change. */
function maskedValues(
  values: Values,
  { takes }: Endpoint,
  { secrets }: Plan,
  replace?: (name: string) => string,
): Values {
  return masked(values, takes, replace, secrets) as Values;
}

/** `{"<field>":{"file":"<name>","size":n}}` */
function parts(multipart: readonly Part[]): Record<string, Value> {
  return Object.fromEntries(
    multipart.map(({ name, value }) => [
      name,
      isFilePart(value)
        ? { file: value.filename, ...(value.size === undefined ? {} : { size: value.size }) }
        : value,
    ]),
  );
}

/** Quote for --form of curl, in which `;` and `,` would end a name. */
function formQuote(text: string): string {
  return /^[\w@%+=:./-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** The header of the token, with a variable in place of the token. */
function tokenHeader({ kind, header: [name] }: Pick<Credential, 'kind' | 'header'>): string {
  const variable = kind === 'job' ? 'SVC_JOB_TOKEN' : 'SVC_TOKEN';
  return `"${name}: ${name === 'authorization' ? 'Bearer ' : ''}$${variable}"`;
}

/** A JSON body as a word of a shell, with each secret as a variable of the shell. */
function quotedBody(body: Values, endpoint: Endpoint, plan: Plan): { word: string; variables: string[] } {
  const variables: string[] = [];
  const plain = jsonText(body);
  let marker = '@';
  while (plain.includes(marker)) marker += '@';
  const shown = maskedValues(body, endpoint, plan, (name) => {
    const variable = `SECRET_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
    const same = variables.filter((one) => one === variable || one.startsWith(`${variable}_`)).length;
    variables.push(same === 0 ? variable : `${variable}_${same + 1}`);
    return `${marker}${variables.length - 1}${marker}`;
  });
  const parts = shellQuote(printableJson(jsonText(shown))).split(marker);
  return {
    word: parts.map((part, at) => (at % 2 === 0 ? part : `'"$${variables[Number(part)]}"'`)).join(''),
    variables,
  };
}

interface Curl {
  readonly line: string;
  /** The variables of the shell that hold the secrets of the body. */
  readonly variables: readonly string[];
}

/** `--curl`: the request as a command line, with the token as `$SVC_TOKEN` or `$SVC_JOB_TOKEN` and other secrets as variables. */
function toCurl(endpoint: Endpoint, plan: Plan, outgoing: RequestBase, { showSecrets }: Shown): Curl {
  const url = `${outgoing.root}${plan.target}`;
  const words = ['curl', '--fail-with-body', '--silent', '--show-error'];
  if (plan.method === 'HEAD') words.push('--head');
  else if (plan.method !== 'GET') words.push('--request', plan.method);
  if (outgoing.credential) words.push('--header', tokenHeader(outgoing.credential));
  for (const [name, value] of outgoing.extra ?? []) words.push('--header', shellQuote(`${name}: ${value}`));
  let variables: readonly string[] = [];
  if (plan.json) {
    const body = showSecrets
      ? { word: shellQuote(printableJson(jsonText(plan.json))), variables }
      : quotedBody(plan.json, endpoint, plan);
    words.push('--header', shellQuote('content-type: application/json'), '--data-binary', body.word);
    variables = body.variables;
  }
  for (const { name, value } of plan.multipart ?? []) {
    if (isFilePart(value))
      words.push(
        '--form',
        shellQuote(`${name}=@${formQuote(value.file)};filename=${formQuote(value.filename)}`),
      );
    else words.push('--form-string', shellQuote(`${name}=${value}`));
  }
  words.push('--globoff', shellQuote(showSecrets ? url : maskedUrl(url, endpoint.takes)));
  return { line: words.join(' '), variables };
}
