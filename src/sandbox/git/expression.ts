/** RE2 expressions on names (section 4.11). */

/** RE2 rejects the expression. The message is RE2's. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/**
 * Return the names that an expression matches anywhere.
 * @throws ExpressionError
 */
export async function matchRe2(expression: string, names: readonly string[]): Promise<Set<string>> {
  const { RE2JS, RE2JSException } = await import('re2js');
  try {
    const pattern = RE2JS.compile(expression);
    return new Set(names.filter((name) => pattern.matcher(name).find()));
  } catch (error) {
    if (error instanceof RE2JSException) throw new ExpressionError(error.message);
    throw error;
  }
}
