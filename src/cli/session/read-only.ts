import { readOnlyFailure } from '../../http/policy/read-only.ts';
import { isReadMethod } from '../../support/http-method.ts';
import type { Session } from './model.ts';

/**
 * Refuse a write in read-only mode before the command prompts or reads a token. The transport refuses every write anyway.
 * @throws Failure `usage`
 */
export function checkReadOnly({ settings }: Pick<Session, 'settings'>, method: string): void {
  if (settings.readOnly.value && !isReadMethod(method)) throw readOnlyFailure(method, settings.readOnly.from);
}
