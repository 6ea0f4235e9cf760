/** Whether a method only reads, so that a request may be repeated without a second effect (RFC 9110 section 9.2.1). */
export function isReadMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
