/** The parts of the OpenAPI document that do not depend on an endpoint. */
import type { Access } from '../../spec/endpoint.ts';

const error = (description: string, headers?: object) => ({
  description,
  ...(headers ? { headers } : {}),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

const header = (description: string, type: string) => ({ description, schema: { type } });

/** The headers of a page (section 8). */
const headers = {
  Link: header('URLs of the next, previous, first and last page', 'string'),
  'X-Page': header('Number of this page', 'string'),
  'X-Per-Page': header('Results per page', 'string'),
  'X-Next-Page': header('Number of the next page; empty on the last page', 'string'),
  'X-Prev-Page': header('Number of the previous page; empty on the first page', 'string'),
  'X-Total': header('Number of results, if known', 'string'),
  'X-Total-Pages': header('Number of pages, if known', 'string'),
};

export const sharedComponents = {
  info: {
    title: 'Project hosting and CI/CD API',
    version: 'v4',
    description:
      'Arrays in a query are sent as name[]=value, hashes as name[key]=value. Values in a path are percent-encoded, also their slashes.',
  },
  servers: [
    {
      url: 'https://{host}/api/v4',
      variables: { host: { default: 'host.example', description: 'Host of the service' } },
    },
  ],
  securitySchemes: {
    accessToken: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN', description: 'Access token' },
    bearerToken: { type: 'http', scheme: 'bearer', description: 'Access token' },
    jobToken: { type: 'apiKey', in: 'header', name: 'JOB-TOKEN', description: 'Token of a running CI job' },
  },
  headers,
  pageHeaders: Object.fromEntries(
    Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  responses: {
    Unauthorized: error('No token, or an invalid token'),
    Forbidden: error('The token may not do this'),
    NotFound: error('The resource does not exist, or the token may not see it'),
    RateLimited: error('Too many requests', { 'Retry-After': header('Seconds to wait', 'string') }),
    Rejected: error('The request was rejected'),
    ServerError: error('The service failed'),
  },
  errorSchema: {
    type: 'object',
    description: 'An error. It has one of these members',
    properties: {
      message: {
        description: 'A text, a list of texts, or texts by parameter',
        anyOf: [{ type: 'string' }, { type: 'array', items: {} }, { type: 'object' }],
      },
      error: { type: 'string', description: 'A code or a text' },
      error_description: { type: 'string', description: 'Details of the error' },
    },
  },
};

/** The tokens that an endpoint accepts. */
export function securityOf({ jobToken, anonymous }: Access): Record<string, string[]>[] {
  if (jobToken === 'only') return [{ jobToken: [] }];
  return [
    { accessToken: [] },
    { bearerToken: [] },
    ...(jobToken ? [{ jobToken: [] }] : []),
    ...(anonymous ? [{}] : []),
  ];
}
