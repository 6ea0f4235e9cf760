/** What helps after a failure, where the call and the settings tell more than the service did. */
import type { Credential } from '../../config/credentials.ts';
import { Failure } from '../../errors.ts';
import type { Endpoint } from '../../spec/endpoint.ts';
import { masked, maskedUrl } from '../../spec/mask.ts';
import { titleOf } from '../request/validate.ts';
import type { Session } from '../session/model.ts';

/** A failure of a call, with the hints that apply. Any other error is returned as it is. */
export async function addHints(error: unknown, endpoint: Endpoint, session: Session): Promise<unknown> {
  if (!(error instanceof Failure)) return error;
  if (error.exchange?.movedTo !== undefined) {
    const { withNewPlace } = await import('./moved.ts');
    return withoutSecrets(withNewPlace(error, endpoint, session.root()), endpoint);
  }
  const sent = await session.credential(endpoint.access).catch(() => undefined);
  return withoutSecrets(error.withHints(...(await hintsFor(error, endpoint, session, sent))), endpoint);
}

/** A failure with the secrets of the call masked: in its exchange, and in the URLs that its words name. */
function withoutSecrets(failure: Failure, { takes, returns }: Endpoint): Failure {
  const { exchange, kind, message, hints, details, cause } = failure;
  if (!exchange) return failure;
  const fields = { ...('fields' in returns ? returns.fields : {}), ...takes };
  const { body } = exchange;
  const shown = {
    ...exchange,
    url: maskedUrl(exchange.url, fields),
    ...(body === undefined ? {} : { body: masked(body, fields) }),
  };
  const tell = (text: string) => text.replace(/https?:\/\/[^\s'"]+/g, (url) => maskedUrl(url, fields));
  return new Failure(kind, tell(message), {
    hint: hints.map(tell),
    details: details.map(tell),
    cause,
    exchange: shown,
  });
}

async function hintsFor(
  failure: Failure,
  endpoint: Endpoint,
  session: Session,
  sent: Credential | undefined,
): Promise<string[]> {
  const status = failure.exchange?.status;
  if (/multiple variables/i.test(failure.message))
    return ['say which one: --filter environment_scope=<scope>'];
  if (status === 401) return unauthorized(endpoint, session, sent);
  if (status === 403) return forbidden(endpoint, sent);
  if (status === 404) return notFound(failure, endpoint);
  if (status === 405 && endpoint.keyset)
    return [`use --pagination keyset, with --order-by ${endpoint.keyset.order_by.join(' or ')}`];
  return [];
}

async function unauthorized(
  { access }: Endpoint,
  session: Session,
  sent: Credential | undefined,
): Promise<string[]> {
  if (access.jobToken === 'only')
    return ['this call takes a job token only: SVC_JOB_TOKEN, or CI_JOB_TOKEN in a pipeline'];
  const { settings } = session;
  const { profile } = settings;
  const where = profile ? ` --profile ${profile.value}` : '';
  const login = `svc auth login${where}, SVC_TOKEN or --token-file gives one`;
  if (sent?.kind === 'job') return [`a job token was sent; an access token may do: ${login}`];
  if (!sent) return settings.accessToken ? whyNone(session, 'access') : [`no token was sent: ${login}`];
  return [`check the token of ${sent.from}: svc auth status; svc auth login${where} takes another`];
}

function forbidden({ access }: Endpoint, sent: Credential | undefined): string[] {
  return [
    ...(access.role ? [`the call needs the role ${access.role}`] : []),
    ...(access.tier ? [`the service must be of the tier ${access.tier}`] : []),
    ...(access.jobToken || sent?.kind !== 'job' ? [] : ['a job token is rarely enough for this call']),
  ];
}

/** The message often says which it is: `404 Project Not Found`. */
function notFound({ message }: Failure, endpoint: Endpoint): string[] {
  const { scope } = endpoint;
  const place = scope ? [`--${scope.name}`] : [];
  const things = Object.keys(endpoint.slots).map((slot) => titleOf(endpoint, slot));
  const isPlace = scope !== undefined && new RegExp(`\\b${scope.name} not found`, 'i').test(message);
  const isThing = things.length > 0 && !isPlace && /\b(?!404\b)\w+ not found/i.test(message);
  const names = isPlace ? place : isThing ? things : [...place, ...things];
  const what = names.length > 0 ? `check ${names.join(' and ')}; ` : '';
  return [`${what}what the token may not see is also not found`];
}

/** No token where one is needed: nothing was sent. */
export async function missingToken(session: Session, endpoint: Endpoint): Promise<Failure> {
  const host = new URL(session.root()).host;
  if (endpoint.access.jobToken === 'only') {
    return new Failure('auth', 'no job token: this call takes nothing else', {
      hint: 'set SVC_JOB_TOKEN; in a pipeline CI_JOB_TOKEN is found by itself',
    });
  }
  return new Failure('auth', `no token for ${host}, and this call needs one`, {
    hint: await whyNone(session, endpoint.access.jobToken ? undefined : 'access'),
  });
}

async function whyNone(session: Session, only: 'access' | undefined): Promise<string[]> {
  const { whyNoCredential } = await import('../../config/credentials.ts');
  return whyNoCredential(session.settings, { origin: new URL(session.root()).origin, only });
}
