/** Whether a method is safe, so that a request can be repeated without a second effect (RFC 9110 section 9.2.1). */
export function isReadMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
