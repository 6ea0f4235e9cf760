import { badRequest } from '../core/http-error.ts';

/** Return the test for an RE2 expression, which matches anywhere, in linear time. @throws HttpError 400 with the message of RE2 */
export async function compileRe2(expression: string): Promise<(text: string) => boolean> {
  const { RE2JS, RE2JSException } = await import('re2js');
  try {
    const pattern = RE2JS.compile(expression);
    return (text) => pattern.matcher(text).find();
  } catch (error) {
    if (error instanceof RE2JSException) throw badRequest({ regex: [error.message] });
    throw error;
  }
}
