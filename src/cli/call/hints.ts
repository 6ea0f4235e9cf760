/** Hints for failures of a call, from its endpoint, the settings and the known facts about the caller. */
import { type Credential, whyNoCredential, whyWithheld } from '../../config/credentials.ts';
import { checkFirst, Failure, forPerson, type Hint, mayBeExecuted } from '../../errors.ts';
import { type Endpoint, returnedFields } from '../../spec/endpoint.ts';
import { masked, maskedUrl } from '../../spec/mask.ts';
import type { Call } from '../../spec/request.ts';
import { isReadMethod } from '../../support/http-method.ts';
import { isRecord } from '../../support/record.ts';
import { commandLine } from '../../support/shell.ts';
import { percentDecoded } from '../../support/url.ts';
import { titleOf } from '../request/parameters.ts';
import { pathBelow } from '../session/audit.ts';
import type { Session } from '../session/model.ts';

export type FailedCall = Pick<Call, 'endpoint'> & Partial<Pick<Call, 'slots' | 'values'>>;

/** Add the hints that apply to a failure, and mask the secrets of the call in it. Any other error is returned unchanged. */
export async function addHints(error: unknown, call: FailedCall, session: Session): Promise<unknown> {
  if (!(error instanceof Failure)) return error;
  const { endpoint } = call;
  if (error.exchange?.movedTo !== undefined)
    return maskedFailure(withNewLocation(error, endpoint, session.root()), endpoint);
  const lacking = withoutEndpoint(error, endpoint);
  if (lacking) return maskedFailure(lacking, endpoint);
  const sent = await session.credential(endpoint.access).catch(() => undefined);
  return maskedFailure(error.withHints(...hintsFor(error, call, session, sent)), endpoint);
}

/** The failure for a 404 of an endpoint that the sandbox, or this service, does not have. */
function withoutEndpoint(failure: Failure, { method, path, unspecified }: Endpoint): Failure | undefined {
  const lacking = failure.exchange?.lacksEndpoint;
  if (lacking === 'sandbox')
    return failure.with({
      message: 'the sandbox does not implement this endpoint',
      hint: 'svc help lists the areas that it implements; for another one, use a service: --base-url or --profile',
    });
  if (lacking === undefined || !unspecified) return undefined;
  return failure.with({
    message: `this service does not offer ${method} ${path}`,
    hint: [
      'this command uses an endpoint that the specification of the API does not contain',
      'another version or edition of the service may have it: ask the administrator',
    ],
  });
}

/** Mask the secrets of the call: in the exchange, and in URLs within the text. */
function maskedFailure(failure: Failure, endpoint: Endpoint): Failure {
  const { exchange } = failure;
  if (!exchange) return failure;
  const fields = { ...returnedFields(endpoint), ...endpoint.takes };
  const { body } = exchange;
  const clean = (text: string) => text.replace(/https?:\/\/[^\s'"]+/g, (url) => maskedUrl(url, fields));
  return failure.mapTexts(clean).with({
    exchange: {
      ...exchange,
      url: maskedUrl(exchange.url, fields),
      ...(body === undefined ? {} : { body: masked(body, fields) }),
    },
  });
}

const when = (condition: boolean, text: string): string[] => (condition ? [text] : []);

function hintsFor(
  failure: Failure,
  call: FailedCall,
  session: Session,
  sent: Credential | undefined,
): readonly Hint[] {
  const { endpoint } = call;
  const code = serviceErrorCode(failure);
  if (code === 'several_match') return ['select one with --environment-scope <scope>'];
  const status = failure.exchange?.status ?? 0;
  const step = (code === 'already_exists' && endpoint.nextSteps?.[code]) || endpoint.nextSteps?.[status];
  if (step && status === 404) return [step, ...notFound(code, call, sent)];
  if (step) return [step, ...(status === 403 ? forbidden(call, sent) : [])];
  switch (status) {
    case 400:
    case 422:
      return brokenRules(failure, call);
    case 401:
      return forPerson(...unauthorized(endpoint, session, sent));
    case 403:
      return forbidden(call, sent);
    case 404:
      return notFound(code, call, sent);
    case 405:
      // A write to a project that was renamed. A read is redirected.
      if (code === 'moved') return ['svc api GET projects/<id> prints its new path'];
      return endpoint.keyset
        ? [`use --pagination keyset, with --order-by ${endpoint.keyset.order_by.join(' or ')}`]
        : [];
    default:
      if (failure.kind !== 'server_error') return [];
      return [
        ...when(!isReadMethod(endpoint.method) && mayBeExecuted(failure), checkFirst),
        ...(failure.hints.length === 0 ? serverHints(failure) : []),
      ];
  }
}

/** The rules of the parameters that the response names, or of all if it names none. */
function brokenRules({ exchange }: Failure, { endpoint, values = {} }: FailedCall): string[] {
  const { message } = isRecord(exchange?.body) ? exchange.body : {};
  return Object.entries(values).flatMap(([name, value]) => {
    const field = endpoint.takes[name];
    const rule = field?.kind === 'text' ? field.rule : undefined;
    const isNamed = !isRecord(message) || name in message;
    return rule && isNamed && !rule.test.test(String(value)) ? [rule.message] : [];
  });
}

const codes = [
  ['several_match', /\bmultiple variables\b/i],
  ['already_exists', /\balready (?:exists|been taken)\b/i],
  ['moved', /\bmoved projects?\b/i],
  ['project_not_found', /\bproject not found\b/i],
  ['group_not_found', /\bgroup not found\b/i],
  ['resource_not_found', /\b(?!404\b)\w+ not found\b/i],
] as const;

/** The API has no error codes, so the code comes from the text of the message. Use it only to choose a hint. */
function serviceErrorCode({ exchange, message, details }: Failure) {
  if (exchange?.status === undefined) return undefined;
  return codes.find(([, pattern]) => [message, ...details].some((text) => pattern.test(text)))?.[0];
}

function serverHints({ exchange }: Failure): Hint[] {
  if (exchange?.status === undefined) return [];
  if (exchange.status < 500)
    return forPerson(
      'a proxy or a login page may have responded: svc doctor checks the connection, --trace shows the response',
    );
  const id = exchange.requestId === undefined ? '' : `, with the request id ${exchange.requestId}`;
  return [`try again later; if it fails again, report it to the administrator of the service${id}`];
}

const undocumentedJobToken = 'this command is not documented to accept a job token';

function unauthorized({ access }: Endpoint, session: Session, sent: Credential | undefined): string[] {
  if (access.jobToken === 'only' && sent?.kind === 'job')
    return [`the job token from ${sent.from} is valid only while its job runs`];
  if (access.jobToken === 'only')
    return [
      ...withheldJobToken(session),
      'this command accepts only a job token: set SVC_JOB_TOKEN, or CI_JOB_TOKEN in a pipeline',
    ];
  const { accessToken } = session.settings;
  const provide = `use ${loginCommand(session)}, SVC_TOKEN or --token-file`;
  if (sent?.kind === 'job')
    return [
      ...when(!access.jobToken, undocumentedJobToken),
      `a job token was sent; for an access token, ${provide}`,
    ];
  if (!sent)
    return accessToken
      ? whyNone(session, 'access')
      : [`no token was sent: ${provide}`, ...withheldJobToken(session)];
  return [`check the token from ${sent.from} with svc whoami${howToReplace(session)}`];
}

const loginCommand = ({ settings: { profile } }: Session): string =>
  `svc login${profile ? ` --profile ${profile.value}` : ''}`;

/** How to replace the token in effect, after a clause: `; replace it with svc login`. */
export function howToReplace(session: Session): string {
  const { accessToken } = session.settings;
  const login = loginCommand(session);
  // A login changes the profile only, which a flag or a variable overrides.
  const isStored = accessToken === undefined || accessToken.source === 'profile';
  return isStored ? `; replace it with ${login}` : `; replace it, or remove it and use ${login}`;
}

/** Explain a 403: the role, tier and scope that the catalogue documents, each beside that of the caller. */
function forbidden({ endpoint, slots, values = {} }: FailedCall, sent: Credential | undefined): Hint[] {
  const { access, takes, method } = endpoint;
  const { role, tier, offering, jobToken, scope } = access;
  const id = slots?.['id'];
  const isInScope = endpoint.scope && id !== undefined && role !== 'administrator';
  const where = isInScope ? ` in ${endpoint.scope.name} ${id}` : '';
  const isAnyRole = isInScope === true && (role === undefined || role === 'user');
  const scopes = sent?.owner?.scopes;
  const needed = scope ?? (isReadMethod(method) ? 'read_api' : 'api');
  return [
    ...when(role !== undefined && role !== 'user', `requires the role ${role}${where}`),
    ...when(
      tier !== undefined,
      `requires the tier ${tier}${tier === 'premium' ? ' or ultimate' : ''} of the service${isAnyRole ? `, and a sufficient role${where}` : ''}`,
    ),
    ...when(offering === 'self-managed', 'available on self-managed services only'),
    ...when(offering === 'hosted', 'available on the hosted service only'),
    ...when(
      scopes !== undefined && !scopes.includes('api') && !maySend(endpoint, scopes),
      `requires a token with the scope ${needed}; yours has ${scopes?.join(', ')}`,
    ),
    ...(sent === undefined ? [] : forPerson(ownerOf(sent))),
    ...when(sent?.kind === 'job' && !jobToken, undocumentedJobToken),
    ...Object.keys(values).flatMap((name) => {
      const { role: own, tier: ownTier } = takes[name] ?? {};
      const title = titleOf(endpoint, name);
      return [
        ...when(own !== undefined && own !== role, `${title} requires the role ${own}`),
        ...when(ownTier !== undefined && ownTier !== tier, `${title} requires the tier ${ownTier}`),
      ];
    }),
  ];
}

/** Whether a token with these scopes, but not `api`, may send the request (section 1). */
function maySend({ access: { scope }, method }: Endpoint, scopes: readonly string[]): boolean {
  if (scope === 'api' || !isReadMethod(method)) return false;
  return scopes.includes('read_api') || (scope !== undefined && scopes.includes(scope));
}

/** The owner of the token that was sent, if it is known without a request: `mia (user 3), from profile "work"`. */
function ownerOf({ kind, from, owner }: Credential): string {
  if (kind === 'job') return 'a job token has the access of the user who started the job';
  return owner?.user === undefined
    ? `the token is from ${from}; svc whoami shows its user`
    : `you are ${owner.user}, with the token from ${from}`;
}

function notFound(
  code: string | undefined,
  { endpoint, slots, values = {} }: FailedCall,
  sent: Credential | undefined,
): string[] {
  const { scope, takes, access } = endpoint;
  // The flag that named it may be --to, or a file.
  const scopes = scope ? [`the ${scope.name} ${slots?.['id']}`] : [];
  // Parameters such as --ref name a resource too.
  const named = Object.keys(values).filter((name) => {
    const field = takes[name];
    return field?.kind === 'text' && field.suggest !== undefined;
  });
  const resources = [...Object.keys(endpoint.slots), ...named].map((name) => titleOf(endpoint, name));
  const isScope = scope && code === `${scope.name}_not_found`;
  const isResource = !isScope && code !== undefined && resources.length > 0;
  const names = [...(isResource ? [] : scopes), ...(isScope ? [] : resources)];
  const check = names.length > 0 ? `check ${names.join(' and ')}; ` : '';
  const reader = sent ? (sent.owner?.user ?? 'the token') : 'a request without a token';
  const noPath = 'without it, the path does not exist';
  const { tier, feature } = access;
  return [
    `${check}a resource that ${reader} cannot access is also reported as not found`,
    ...when(tier !== undefined && !code, `requires the tier ${tier} of the service; ${noPath}`),
    ...when(
      feature !== undefined && !code,
      `requires the feature flag ${feature?.name} on the instance; ${noPath}`,
    ),
  ];
}

export function missingToken(session: Session, { access }: Endpoint): Failure {
  const { auth } = session.settings;
  if (access.jobToken === 'only')
    return new Failure('auth', 'no job token, and this command accepts no other token', {
      hint: forPerson(
        ...(auth && auth.value !== 'job' ? [`${auth.from} excludes a job token`] : []),
        ...withheldJobToken(session),
        'set SVC_JOB_TOKEN; in a pipeline, CI_JOB_TOKEN is sent to the server of the pipeline',
      ),
    });
  return new Failure('auth', `no token for ${new URL(session.root()).host}, and this command requires one`, {
    hint: forPerson(...whyNone(session, access.jobToken ? undefined : 'access')),
  });
}

const originOf = (session: Session): string => new URL(session.root()).origin;

const withheldJobToken = (session: Session): string[] =>
  whyWithheld(session.settings.jobToken, originOf(session));

const whyNone = (session: Session, only: 'access' | undefined): string[] =>
  whyNoCredential(session.settings, { origin: originOf(session), only });

/** Name the new location: as the scope of the command if nothing else has changed, otherwise as a path. */
function withNewLocation(failure: Failure, { scope }: Endpoint, root: string): Failure {
  const { method = '', url = '', movedTo = '' } = failure.exchange ?? {};
  const path = pathBelow(movedTo, root);
  const [before, after] = [pathBelow(url, root), path].map((one) => one.split('/')) as [string[], string[]];
  const [old, id] = [before[1], after[1]].map((segment = '') => percentDecoded(segment)) as [string, string];
  const isSame = before.every((segment, at) => at === 1 || segment === after[at]);
  if (!scope || !isSame || before.length !== after.length) {
    const command = commandLine(['svc', 'api', method, path.replace(/^-/, '/$&')]);
    return failure.withHints(...forPerson(`repeat the request with the new path: ${command}`));
  }
  // A word that starts with "-" would be read as a flag.
  const flag = id.startsWith('-') ? [`--${scope.name}=${id}`] : [`--${scope.name}`, id];
  return failure.with({
    message: `the ${scope.name} ${old} has moved to ${id}`,
    details: [`${method} requests are not redirected`, ...failure.details],
    hint: `repeat the command with ${commandLine(flag)}`,
  });
}
