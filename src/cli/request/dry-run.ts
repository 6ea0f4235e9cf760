/** `--dry-run` and `--curl`: describe a request instead of sending it. */
import type { Credential } from '../../config/credentials.ts';
import { usage } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { masked, maskedUrl } from '../../spec/mask.ts';
import { isFilePart, type Plan, textLength, type Value, type Values } from '../../spec/request.ts';
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

/** A request as one line of text. */
export interface RequestText {
  readonly line: string;
  /** The variables of the shell that hold the secrets of a curl command. */
  readonly variables: readonly string[];
}

/** The longest body, in characters, that is printed. */
const maxLength = 32 * 1024 * 1024;

/**
 * Describe a request: as a curl command for `--curl`, otherwise as one JSON object.
 * @throws Failure `usage` for a body that is too large to print
 */
export function describeRequest(
  { options, terminal }: Pick<Session, 'options' | 'terminal'>,
  endpoint: Endpoint,
  plan: Plan,
  base: RequestBase,
): RequestText {
  if (plan.json && textLength(plan.json) > maxLength)
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
    url: showSecrets ? url : maskedUrl(url, endpoint.takes),
    showSecrets,
    // Masking replaces text with text, so the type does not change.
    mask: (values, replace) =>
      showSecrets ? values : (masked(values, endpoint.takes, replace, secrets) as Values),
  };
  return options.curl === true
    ? toCurl(described)
    : { line: printableJson(describe(described)), variables: [] };
}

/** Print a request on one line. */
export function printDryRun(session: Session, endpoint: Endpoint, plan: Plan, base: RequestBase): void {
  const { line, variables } = describeRequest(session, endpoint, plan, base);
  session.context.stdout.write(`${line}\n`);
  if (variables.length > 0)
    session.notes.say(
      `Set ${variables.join(' and ')} before you run it, with the characters escaped as in JSON.`,
    );
}

interface Described {
  readonly plan: Plan;
  readonly outgoing: RequestBase;
  readonly url: string;
  readonly showSecrets: boolean;
  /** Mask the secrets in a body. @param replace returns the text in place of a secret with this name */
  readonly mask: (values: Values, replace?: (name: string) => string) => Values;
}

/** `--dry-run`: the request as one JSON object. */
function describe({ plan, outgoing, url, showSecrets, mask: hide }: Described): string {
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
  const body = plan.json ?? (plan.multipart && Object.fromEntries(plan.multipart.map(partEntry)));
  return jsonText({ method: plan.method, url, headers, ...(body === undefined ? {} : { body: hide(body) }) });
}

/** `{"<field>":{"file":"<name>","size":n}}` */
function partEntry({ name, value }: NonNullable<Plan['multipart']>[number]): [string, Value] {
  if (!isFilePart(value)) return [name, value];
  return [name, { file: value.filename, ...(value.size === undefined ? {} : { size: value.size }) }];
}

/** `--curl`: the request as a command line, with the token as `$SVC_TOKEN` or `$SVC_JOB_TOKEN` and other secrets as variables. */
function toCurl({ plan, outgoing, url, mask: hide }: Described): RequestText {
  const words = ['curl', '--fail-with-body', '--silent', '--show-error'];
  if (plan.method === 'HEAD') words.push('--head');
  else if (plan.method !== 'GET') words.push('--request', plan.method);
  if (outgoing.credential) words.push('--header', tokenHeader(outgoing.credential));
  for (const [name, value] of outgoing.extra ?? []) words.push('--header', shellQuote(`${name}: ${value}`));
  const variables: string[] = [];
  if (plan.json) {
    const body = quotedBody(plan.json, hide, variables);
    words.push('--header', shellQuote('content-type: application/json'), '--data-binary', body);
  }
  for (const { name, value } of plan.multipart ?? []) {
    if (!isFilePart(value)) words.push('--form-string', shellQuote(`${name}=${value}`));
    else {
      const form = `${name}=@${formQuote(value.file)};filename=${formQuote(value.filename)}`;
      words.push('--form', shellQuote(form));
    }
  }
  words.push('--globoff', shellQuote(url));
  return { line: words.join(' '), variables };
}

/** The header of the token, with a variable in place of the token. */
function tokenHeader({ kind, header: [name] }: Pick<Credential, 'kind' | 'header'>): string {
  const variable = kind === 'job' ? 'SVC_JOB_TOKEN' : 'SVC_TOKEN';
  return `"${name}: ${name === 'authorization' ? 'Bearer ' : ''}$${variable}"`;
}

/** Quote for --form of curl, in which `;` and `,` would end a name. */
function formQuote(text: string): string {
  return /^[\w@%+=:./-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** A JSON body as a word of a shell, with each secret as a variable of the shell, which is added to `variables`. */
function quotedBody(body: Values, hide: Described['mask'], variables: string[]): string {
  const plain = jsonText(body);
  let marker = '@';
  while (plain.includes(marker)) marker += '@';
  const shown = hide(body, (name) => {
    const variable = `SECRET_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
    const same = variables.filter((one) => one === variable || one.startsWith(`${variable}_`)).length;
    variables.push(same === 0 ? variable : `${variable}_${same + 1}`);
    return `${marker}${variables.length - 1}${marker}`;
  });
  return shellQuote(printableJson(jsonText(shown)))
    .split(marker)
    .map((part, at) => (at % 2 === 0 ? part : `'"$${variables[Number(part)]}"'`))
    .join('');
}
