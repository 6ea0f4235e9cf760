import type { Failure } from '../../../errors.ts';

/** The cause that an error response names. */
export type ServiceErrorCode =
  | 'several_match'
  | 'already_exists'
  | 'project_not_found'
  | 'group_not_found'
  | 'resource_not_found';

const codes: readonly (readonly [ServiceErrorCode, RegExp])[] = [
  ['several_match', /\bmultiple variables\b/i],
  ['already_exists', /\balready (?:exists|been taken)\b/i],
  ['project_not_found', /\bproject not found\b/i],
  ['group_not_found', /\bgroup not found\b/i],
  ['resource_not_found', /\b(?!404\b)\w+ not found\b/i],
];

/**
 * Return the code of an error response, if its cause is known. The API has no error codes, so the code comes from the text of the
 * message. Use it only to choose a hint.
 */
export function serviceErrorCode({ exchange, message, details }: Failure): ServiceErrorCode | undefined {
  if (exchange?.status === undefined) return undefined;
  return codes.find(([, pattern]) => [message, ...details].some((text) => pattern.test(text)))?.[0];
}
