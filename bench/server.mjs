// A server for the benchmarks. It serves prepared pages of jobs and prints its port.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const perPage = 100;
/** Return a job of about 2.3 KB, a typical size for this API. */
function job(id) {
  const user = {
    id: 4,
    name: 'Devon Developer',
    username: 'devon',
    state: 'active',
    avatar_url: `https://host.example/avatar/${'a'.repeat(64)}`,
    web_url: 'https://host.example/devon',
    created_at: '2025-01-01T00:00:00.000Z',
    bio: 'Writes "code" and more code',
    location: null,
    public_email: 'devon@example.com',
    social_1: '',
    social_2: '',
    social_3: '',
    website_url: '',
    organization: 'Acme',
  };
  return {
    id,
    status: id % 7 ? 'success' : 'failed',
    stage: 'test',
    name: `rspec ${id % 12}/12`,
    ref: 'main',
    tag: false,
    coverage: 93.4,
    allow_failure: false,
    created_at: '2026-01-02T03:04:05.678Z',
    started_at: '2026-01-02T03:04:15.678Z',
    finished_at: '2026-01-02T03:09:05.678Z',
    erased_at: null,
    duration: 290.127,
    queued_duration: 10.5,
    archived: false,
    user,
    commit: {
      id: 'c'.repeat(40),
      short_id: 'cccccccc',
      created_at: '2026-01-02T03:00:00.000Z',
      parent_ids: ['d'.repeat(40)],
      title: 'Burn longer',
      message: 'Burn longer\n\nThe second stage has fuel left.\n',
      author_name: 'Mia',
      author_email: 'mia@example.com',
      authored_date: '2026-01-02T03:00:00.000Z',
      committer_name: 'Mia',
      committer_email: 'mia@example.com',
      committed_date: '2026-01-02T03:00:00.000Z',
      trailers: {},
      web_url: `https://host.example/acme/rocket/-/commit/${'c'.repeat(40)}`,
    },
    pipeline: {
      id: 1012,
      iid: 12,
      project_id: 100,
      sha: 'c'.repeat(40),
      ref: 'main',
      status: 'success',
      source: 'push',
      created_at: '2026-01-02T03:04:00.000Z',
      updated_at: '2026-01-02T03:10:00.000Z',
      web_url: 'https://host.example/acme/rocket/-/pipelines/1012',
    },
    web_url: `https://host.example/acme/rocket/-/jobs/${id}`,
    project: { ci_job_token_scope_enabled: true },
    artifacts: [
      { file_type: 'archive', size: 104857, filename: 'artifacts.zip', file_format: 'zip' },
      { file_type: 'trace', size: 20480, filename: 'job.log', file_format: null },
    ],
    runner: {
      id: 1,
      description: 'shared-runner-1.example.com',
      ip_address: '10.0.0.1',
      active: true,
      paused: false,
      is_shared: true,
      runner_type: 'instance_type',
      name: null,
      online: true,
      status: 'online',
    },
    runner_manager: {
      id: 1,
      system_id: 's_89e5e9956577',
      version: '16.11.1',
      revision: '535ced5f',
      platform: 'linux',
      architecture: 'amd64',
      created_at: '2025-05-01T10:12:02.507Z',
      contacted_at: '2026-01-02T06:30:09.355Z',
      ip_address: '127.0.0.1',
      status: 'offline',
    },
    artifacts_expire_at: '2026-02-02T03:09:05.678Z',
    tag_list: ['docker', 'linux'],
  };
}

const bodies = new Map();
const page = (number, size) => {
  const key = `${number % 50}/${size}`;
  if (!bodies.has(key))
    bodies.set(
      key,
      Buffer.from(JSON.stringify(Array.from({ length: size }, (_, i) => job(1_000_000 - number * size - i)))),
    );
  return bodies.get(key);
};

/** The service counts no larger lists (section 8 of the API). */
const countLimit = 10_000;

/** The headers of a page: links to the next and the last one, and the total if it is counted. */
function pagination(url, prefix, { number, size, total }) {
  const pages = Math.max(1, Math.ceil(total / size));
  const link = (page, rel) => {
    url.searchParams.set('page', String(page));
    return `<http://127.0.0.1:${server.address().port}${prefix}${url.pathname}?${url.searchParams}>; rel="${rel}"`;
  };
  const isCounted = total <= countLimit;
  const links = [
    ...(number < pages && size === perPage ? [link(number + 1, 'next')] : []),
    ...(isCounted ? [link(pages, 'last')] : []),
  ];
  return {
    ...(links.length > 0 ? { link: links.join(', ') } : {}),
    ...(isCounted ? { 'x-total': total, 'x-total-pages': pages } : {}),
  };
}

const variable = Buffer.from(
  JSON.stringify({ key: 'LOG_LEVEL', value: 'info', variable_type: 'env_var', environment_scope: '*' }),
);

let requests = 0;

/** Below `/delay-100`, each response takes 100 ms. `/requests` gives the number of the other requests so far. */
const server = createServer(async (request, response) => {
  if (request.url === '/requests') return response.end(String(requests));
  requests++;
  const [, prefix = '', delay, path] = /^(\/delay-(\d+))?(\/.*)$/.exec(request.url);
  const url = new URL(path, 'http://x');
  request.resume();
  if (delay) await sleep(Number(delay));
  if (url.pathname.includes('/variables')) {
    const isList = request.method === 'GET' && url.pathname.endsWith('/variables');
    response.writeHead(200, { 'content-type': 'application/json' });
    return response.end(isList ? `[${variable}]` : variable);
  }
  const total = Number(/projects\/(\d+)\//.exec(url.pathname)?.[1] ?? 20);
  const number = Number(url.searchParams.get('page') ?? 1);
  const size = Number(url.searchParams.get('per_page') ?? 20);
  const body = page(number, Math.min(size, total));
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...pagination(url, prefix, { number, size, total }),
  });
  response.end(body);
});
for (let number = 1; number <= 50; number++) page(number, perPage);
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
