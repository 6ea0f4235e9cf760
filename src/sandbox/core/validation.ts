/** Checks of values that several areas share, with the messages of the service. */
import { parseUrl } from '../../support/url.ts';
import { badRequest } from './http-error.ts';

/** Messages by attribute; no message for a valid one. */
export type Checks = Readonly<Record<string, readonly string[] | false | undefined>>;

/** @throws HttpError 400 if there are any messages */
export function rejectInvalid(checks: Checks): void {
  const messages = Object.entries(checks).filter(([, message]) => message);
  if (messages.length > 0) throw badRequest(Object.fromEntries(messages));
}

export const cannotBeBlank = ["can't be blank"];
export const alreadyTaken = ['has already been taken'];
export const invalidColor = ['must be a valid color code'];
export const blockedUrl = ['is blocked: Only allowed schemes are http, https'];
export const tooLong = (maximum: number): string[] => [`is too long (maximum is ${maximum} characters)`];

export const isColor = (text: string): boolean => /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text);

export const isHttpUrl = (text: string): boolean => /^https?:$/.test(parseUrl(text)?.protocol ?? '');
