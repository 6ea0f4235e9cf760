/** Hints for failures of a call, from its endpoint and the settings. */
import type { Credential } from '../../config/credentials.ts';
import { Failure } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { masked, maskedUrl } from '../../spec/mask.ts';
import { titleOf } from '../request/validate.ts';
import type { Session } from '../session/model.ts';
import { serviceErrorCode } from './service-error.ts';

/** Add the hints that apply to a failure, and mask the secrets of the call in it. Any other error is returned unchanged. */
export async function addHints(error: unknown, endpoint: Endpoint, session: Session): Promise<unknown> {
  if (!(error instanceof Failure)) return error;
  if (error.exchange?.movedTo !== undefined) {
    const { withNewLocation } = await import('./moved.ts');
    return withoutSecrets(withNewLocation(error, endpoint, session.root()), endpoint);
  }
  const sent = await session.credential(endpoint.access).catch(() => undefined);
  return withoutSecrets(error.withHints(...(await hintsFor(error, endpoint, session, sent))), endpoint);
}

/** Mask the secrets of the call: in the exchange, and in URLs within the text. */
function withoutSecrets(failure: Failure, { takes, returns }: Endpoint): Failure {
  const { exchange, kind, message, hints, details, cause } = failure;
  if (!exchange) return failure;
  const fields = { ...('fields' in returns ? returns.fields : {}), ...takes };
  const { body } = exchange;
  const clean = (text: string) => text.replace(/https?:\/\/[^\s'"]+/g, (url) => maskedUrl(url, fields));
  return new Failure(kind, clean(message), {
    hint: hints.map(clean),
    details: details.map(clean),
    cause,
    exchange: {
      ...exchange,
      url: maskedUrl(exchange.url, fields),
      ...(body === undefined ? {} : { body: masked(body, fields) }),
    },
  });
}

async function hintsFor(
  failure: Failure,
  endpoint: Endpoint,
  session: Session,
  sent: Credential | undefined,
): Promise<string[]> {
  if (serviceErrorCode(failure) === 'several_match') return ['select one with --environment-scope <scope>'];
  switch (failure.exchange?.status) {
    case 401:
      return unauthorized(endpoint, session, sent);
    case 403:
      return forbidden(endpoint, sent);
    case 404:
      return notFound(failure, endpoint);
    case 405:
      return endpoint.keyset
        ? [`use --pagination keyset, with --order-by ${endpoint.keyset.order_by.join(' or ')}`]
        : [];
    default:
      return [];
  }
}

async function unauthorized(
  { access }: Endpoint,
  session: Session,
  sent: Credential | undefined,
): Promise<string[]> {
  if (access.jobToken === 'only')
    return ['this endpoint accepts only a job token: set SVC_JOB_TOKEN, or CI_JOB_TOKEN in a pipeline'];
  const { profile, accessToken } = session.settings;
  const login = `svc login${profile ? ` --profile ${profile.value}` : ''}`;
  const provide = `use ${login}, SVC_TOKEN or --token-file`;
  if (sent?.kind === 'job') return [`a job token was sent; for an access token, ${provide}`];
  if (!sent) return accessToken ? whyNone(session, 'access') : [`no token was sent: ${provide}`];
  return [`check the token from ${sent.from} with svc auth status, or replace it with ${login}`];
}

function forbidden({ access }: Endpoint, sent: Credential | undefined): string[] {
  return [
    ...(access.role ? [`requires the role ${access.role}`] : []),
    ...(access.tier ? [`requires a service of the tier ${access.tier}`] : []),
    ...(access.jobToken || sent?.kind !== 'job'
      ? []
      : ['a job token is rarely sufficient for this endpoint']),
  ];
}

function notFound(failure: Failure, endpoint: Endpoint): string[] {
  const { scope } = endpoint;
  const scopes = scope ? [`--${scope.name}`] : [];
  const resources = Object.keys(endpoint.slots).map((slot) => titleOf(endpoint, slot));
  const code = serviceErrorCode(failure);
  const names =
    scope && code === `${scope.name}_not_found`
      ? scopes
      : code && resources.length > 0
        ? resources
        : [...scopes, ...resources];
  const check = names.length > 0 ? `check ${names.join(' and ')}; ` : '';
  return [`${check}a resource that the token cannot access is also reported as not found`];
}

/** The failure for a missing token that the endpoint requires. */
export async function missingToken(session: Session, endpoint: Endpoint): Promise<Failure> {
  if (endpoint.access.jobToken === 'only') {
    return new Failure('auth', 'no job token, and this endpoint accepts no other token', {
      hint: 'set SVC_JOB_TOKEN; in a pipeline, CI_JOB_TOKEN is used automatically',
    });
  }
  return new Failure('auth', `no token for ${new URL(session.root()).host}, and this endpoint requires one`, {
    hint: await whyNone(session, endpoint.access.jobToken ? undefined : 'access'),
  });
}

async function whyNone(session: Session, only: 'access' | undefined): Promise<string[]> {
  const { whyNoCredential } = await import('../../config/credentials.ts');
  return whyNoCredential(session.settings, { origin: new URL(session.root()).origin, only });
}
