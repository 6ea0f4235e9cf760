/** Whether a method is safe, so that a request can be repeated without a second effect (RFC 9110 section 9.2.1). */
export function isReadMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether a request has no further effect when it is repeated (RFC 9110 section 9.2.2). */
export function isIdempotentMethod(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'].includes(method);
}

/** The value of an `Allow` header (RFC 9110 section 10.2.1). A resource that supports GET also supports HEAD. */
export function allowHeader(methods: Iterable<string>): string {
  const all = new Set(methods);
  if (all.has('GET')) all.add('HEAD');
  return [...all].join(', ');
}
