/** Hints for failures of a call, from its endpoint and the settings. */
import type { Credential } from '../../../config/credentials.ts';
import { Failure, forPerson, type Hint } from '../../../errors.ts';
import type { Endpoint } from '../../../spec/endpoint.ts';
import { masked, maskedUrl } from '../../../spec/mask.ts';
import { type Call, slotTitle } from '../../../spec/request.ts';
import { commandLine } from '../../../support/shell.ts';
import { percentDecoded } from '../../../support/url.ts';
import { titleOf } from '../../request/parameters.ts';
import type { Session } from '../../session/model.ts';
import { forbiddenHints, readerOf, undocumentedJobToken } from './access-hints.ts';

/** The parts of a call that are known when it fails. */
export type FailedCall = Pick<Call, 'endpoint'> & Partial<Pick<Call, 'slots' | 'values'>>;

/** Add the hints that apply to a failure, and mask the secrets of the call in it. Any other error is returned unchanged. */
export async function addHints(error: unknown, call: FailedCall, session: Session): Promise<unknown> {
  if (!(error instanceof Failure)) return error;
  const { endpoint } = call;
  if (error.exchange?.movedTo !== undefined) {
    return maskedFailure(withNewLocation(error, endpoint, session.root()), endpoint);
  }
  const sent = await session.credential(endpoint.access).catch(() => undefined);
  return maskedFailure(error.withHints(...(await hintsFor(error, call, session, sent))), endpoint);
}

/** Mask the secrets of the call: in the exchange, and in URLs within the text. */
function maskedFailure(failure: Failure, { takes, returns }: Endpoint): Failure {
  const { exchange } = failure;
  if (!exchange) return failure;
  const fields = { ...('fields' in returns ? returns.fields : {}), ...takes };
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

async function hintsFor(
  failure: Failure,
  call: FailedCall,
  session: Session,
  sent: Credential | undefined,
): Promise<Hint[]> {
  const { endpoint } = call;
  const code = serviceErrorCode(failure);
  if (code === 'several_match') return ['select one with --environment-scope <scope>'];
  if (code === 'already_exists' && endpoint.ifExists) return [`to change it, use svc ${endpoint.ifExists}`];
  switch (failure.exchange?.status) {
    case 401:
      return forPerson(...(await unauthorized(endpoint, session, sent)));
    case 403:
      return [...forbiddenHints(endpoint, placeOf(call), sent), ...parameterHints(call)];
    case 404:
      return notFound(failure, call, sent);
    case 405:
      return endpoint.keyset
        ? [`use --pagination keyset, with --order-by ${endpoint.keyset.order_by.join(' or ')}`]
        : [];
    default:
      return failure.kind === 'server_error' && failure.hints.length === 0 ? serverHints(failure) : [];
  }
}

/** The causes that an error response names. */
const codes = [
  ['several_match', /\bmultiple variables\b/i],
  ['already_exists', /\balready (?:exists|been taken)\b/i],
  ['project_not_found', /\bproject not found\b/i],
  ['group_not_found', /\bgroup not found\b/i],
  ['resource_not_found', /\b(?!404\b)\w+ not found\b/i],
] as const;

/**
 * Return the code of an error response, if its cause is known. The API has no error codes, so the code comes from the text of the
 * message. Use it only to choose a hint.
 */
function serviceErrorCode({ exchange, message, details }: Failure) {
  if (exchange?.status === undefined) return undefined;
  return codes.find(([, pattern]) => [message, ...details].some((text) => pattern.test(text)))?.[0];
}

/** `project acme/rocket` */
function placeOf({ endpoint: { scope }, slots }: FailedCall): string | undefined {
  const id = slots?.['id'];
  return scope && id !== undefined ? `${scope.name} ${id}` : undefined;
}

/** The roles and tiers that the given parameters require beyond those of the command. */
function parameterHints({ endpoint, values = {} }: FailedCall): string[] {
  return Object.keys(values).flatMap((name) => {
    const { role, tier } = endpoint.takes[name] ?? {};
    const title = titleOf(endpoint, name);
    return [
      ...(role === undefined || role === endpoint.access.role ? [] : [`${title} requires the role ${role}`]),
      ...(tier === undefined || tier === endpoint.access.tier ? [] : [`${title} requires the tier ${tier}`]),
    ];
  });
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

async function unauthorized(
  { access }: Endpoint,
  session: Session,
  sent: Credential | undefined,
): Promise<string[]> {
  if (access.jobToken === 'only')
    return ['this command accepts only a job token: set SVC_JOB_TOKEN, or CI_JOB_TOKEN in a pipeline'];
  const { profile, accessToken } = session.settings;
  const login = `svc login${profile ? ` --profile ${profile.value}` : ''}`;
  const provide = `use ${login}, SVC_TOKEN or --token-file`;
  if (sent?.kind === 'job')
    return [
      ...(access.jobToken ? [] : [undocumentedJobToken]),
      `a job token was sent; for an access token, ${provide}`,
    ];
  if (!sent) return accessToken ? whyNone(session, 'access') : [`no token was sent: ${provide}`];
  const check = `check the token from ${sent.from} with svc whoami`;
  // A login changes the profile only, which a flag or a variable overrides.
  const isStored = accessToken === undefined || accessToken.source === 'profile';
  return [
    isStored
      ? `${check}, or replace it with ${login}`
      : `${check}; replace it, or remove it and use ${login}`,
  ];
}

function notFound(
  failure: Failure,
  { endpoint, values }: FailedCall,
  sent: Credential | undefined,
): string[] {
  const { scope, takes, access } = endpoint;
  const scopes = scope ? [`--${scope.name}`] : [];
  // Parameters such as --ref name a resource too.
  const named = Object.keys(values ?? {}).filter((name) => {
    const field = takes[name];
    return field?.kind === 'text' && field.suggest !== undefined;
  });
  const resources = [...Object.keys(endpoint.slots), ...named].map((name) => titleOf(endpoint, name));
  const code = serviceErrorCode(failure);
  const names =
    scope && code === `${scope.name}_not_found`
      ? scopes
      : code && resources.length > 0
        ? resources
        : [...scopes, ...resources];
  const check = names.length > 0 ? `check ${names.join(' and ')}; ` : '';
  return [
    `${check}a resource that ${readerOf(sent)} cannot access is also reported as not found`,
    ...(access.tier === undefined || code !== undefined
      ? []
      : [`requires the tier ${access.tier} of the service; without it, the path does not exist`]),
    ...(access.feature === undefined || code !== undefined
      ? []
      : [
          `requires the feature flag ${access.feature.name} on the instance; without it, the path does not exist`,
        ]),
  ];
}

/** The failure for a missing token that the endpoint requires. */
export async function missingToken(session: Session, endpoint: Endpoint): Promise<Failure> {
  if (endpoint.access.jobToken === 'only') {
    return new Failure('auth', 'no job token, and this command accepts no other token', {
      hint: forPerson('set SVC_JOB_TOKEN; in a pipeline, CI_JOB_TOKEN is used automatically'),
    });
  }
  return new Failure('auth', `no token for ${new URL(session.root()).host}, and this command requires one`, {
    hint: forPerson(...(await whyNone(session, endpoint.access.jobToken ? undefined : 'access'))),
  });
}

async function whyNone(session: Session, only: 'access' | undefined): Promise<string[]> {
  const { whyNoCredential } = await import('../../../config/credentials.ts');
  return whyNoCredential(session.settings, { origin: new URL(session.root()).origin, only });
}

/** Name the new location: as arguments of the command if it belongs to the same endpoint, otherwise as a path. */
function withNewLocation(failure: Failure, endpoint: Endpoint, root: string): Failure {
  const { method, url = '', movedTo = '' } = failure.exchange ?? {};
  const before = slotsOf(endpoint.path, url, root);
  const after = slotsOf(endpoint.path, movedTo, root);
  const changed = Object.entries(after ?? {}).filter(([name, value]) => before?.[name] !== value);
  const isLikeFlag = changed.some(([name, value]) => name !== 'id' && value.startsWith('-'));
  if (!before || changed.length === 0 || isLikeFlag)
    return failure.withHints(
      ...forPerson(
        // A path that starts with "-" would be read as a flag.
        `repeat the request with the new path: ${commandLine(['svc', 'api', String(method), pathOf(movedTo, root).replace(/^-/, '/$&')])}`,
      ),
    );
  const flags = changed.map(([name, value]) => {
    const title = slotTitle(endpoint, name);
    // A word that starts with "-" would be read as a flag.
    return value.startsWith('-') ? commandLine([`${title}=${value}`]) : `${title} ${commandLine([value])}`;
  });
  const hint = `repeat the command with ${flags.join(' ')}`;
  const { scope } = endpoint;
  if (!scope || changed.every(([name]) => name !== 'id')) return failure.withHints(hint);
  return failure.with({
    message: `the ${scope.name} ${before['id']} has moved to ${after?.['id']}`,
    details: [`${method} requests are not redirected`, ...failure.details],
    hint,
  });
}

/** The values of the slots of a path, decoded; undefined if the URL belongs to another path. */
function slotsOf(path: string, url: string, root: string): Record<string, string> | undefined {
  const segments = pathOf(url, root).split('/');
  const pattern = path.split('/').slice(1);
  if (segments.length !== pattern.length) return undefined;
  const slots: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    const expected = pattern[at];
    if (expected?.startsWith(':')) slots[expected.slice(1)] = percentDecoded(segment);
    else if (expected !== segment) return undefined;
  }
  return slots;
}

/** The path below the root of the API, without the query; the whole URL if it is outside the API. */
function pathOf(url: string, root: string): string {
  const [path = ''] = url.split('?', 1);
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
