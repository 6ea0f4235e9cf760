/** RE2 rejects an expression. The message is RE2's. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/** Return the test for an RE2 expression, which matches anywhere, in linear time. @throws ExpressionError */
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
