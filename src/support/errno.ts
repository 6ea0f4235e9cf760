/** The codes and texts of errors of the operating system and of the network. */

/** Texts for codes whose message of Node is missing or unclear. */
const texts: ReadonlyMap<string, string> = new Map([
  ['ENOTDIR', 'a part of the path is not a directory'],
  ['EISDIR', 'it is a folder'],
  ['ERR_INVALID_ARG_VALUE', 'it contains a NUL character'],
  ['EACCES', 'permission denied'],
  ['ENOSPC', 'the disk is full'],
  ['ELOOP', 'too many symbolic links'],
  ['E2BIG', 'the arguments and variables are too large for a program'],
  ['EPIPE', 'the pipe was closed'],
  ['EADDRINUSE', 'the port is already in use'],
]);

/** A file or folder that must not be used, although the operating system allows it. The message gives the reason. */
export class UnsuitableFile extends Error {}

/** Call a function for which any error means that there is no result. @returns undefined if it throws */
export function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** Return the code of an error: `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Codes of undici, each with the code of Node's client or of the transports for the same event. */
const sameCodes: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'TRANSPORT_CONNECT_TIMEOUT',
  UND_ERR_HEADERS_TIMEOUT: 'TRANSPORT_CONNECT_TIMEOUT',
  UND_ERR_SOCKET: 'TRANSPORT_CLOSED',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'TRANSPORT_CLOSED',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
  UND_ERR_INVALID_ARG: 'ERR_INVALID_CHAR',
};

/** Return the code of a network error or of its cause, as Node spells it. If several addresses were tried, that of the first error. */
export function networkCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') {
    // For errors while writing, OpenSSL gives the reason only in the message.
    const [, reason] = /:SSL routines:[^:]*:([^:]+):/.exec(String(error)) ?? [];
    const code =
      error.code === 'EPROTO' && reason ? `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}` : error.code;
    // Newer versions of OpenSSL write SSL/TLS for SSLV3.
    return sameCodes[code] ?? code.replace('SSL/TLS_ALERT', 'SSLV3_ALERT');
  }
  if (error instanceof AggregateError) return networkCode(error.errors[0]);
  return 'cause' in error ? networkCode(error.cause) : undefined;
}

/** Whether the reader of a pipe closed it. Windows also reports this as EOF. */
export function isClosedPipe(error: unknown): boolean {
  return ['EPIPE', 'EOF'].includes(errorCode(error) ?? '');
}

/** Describe an error of the operating system, without a path or file content. */
export function errnoText(error: unknown): string {
  if (error instanceof UnsuitableFile) return error.message;
  const code = errorCode(error);
  if (code === undefined || !(error instanceof Error)) return 'unknown error';
  // Node writes `ENOTEMPTY: directory not empty, rmdir '/a'`.
  return texts.get(code) ?? /^[A-Z0-9_]+: ([^,]+), /.exec(error.message)?.[1] ?? code;
}
