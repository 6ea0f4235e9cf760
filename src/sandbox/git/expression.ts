/** RE2 rejects an expression. The message is RE2's. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/**
 * Compile an RE2 expression (section 4.11). It matches in linear time.
 * @returns the test whether it matches anywhere in a text
 * @throws ExpressionError
 */
export async function compileRe2(expression: string): Promise<(text: string) => boolean> {
  const { RE2JS, RE2JSException } = await import('re2js');
  try {
    const pattern = RE2JS.compile(expression);
    return (text) => pattern.matcher(text).find();
  } catch (error) {
    if (error instanceof RE2JSException) throw new ExpressionError(error.message);
    throw error;
  }
}
