/** The text in place of a secret in all output. */
export const mask = '***';

/** Quote a word of the user in a message. A word that looks like a token is not repeated, nor the user and password of a URL. */
export function quotedWord(word: string): string {
  const isMixed = /^[\w.~+/=-]{12,}$/.test(word) && [/\d/, /[a-z]/, /[A-Z]/].every((kind) => kind.test(word));
  const hasLongPart = word
    .split(/[^A-Za-z0-9]/)
    .some((part) => part.length >= 20 && /\d/.test(part) && /[A-Za-z]/.test(part));
  return isMixed || hasLongPart ? mask : JSON.stringify(word.replace(/:\/\/.*@/s, `://${mask}@`));
}
