/** Replaces a secret in everything that is printed. */
export const mask = '***';
