/** The simulated spam check (section 7). */
import type { Context } from '../../core/context.ts';
import { HttpError, httpError } from '../../core/http-error.ts';

/** Return a header such as `X-Service-Spam-Log-Id`. Clients send other vendor names in place of `Service`. */
function serviceHeader(headers: Headers, name: string): string | undefined {
  for (const [key, value] of headers)
    if (key.startsWith('x-') && key.endsWith(`-${name}`) && value) return value;
  return undefined;
}

/** @throws HttpError 400 if the sandbox rejects content, 409 if it demands a CAPTCHA and the request has no solution */
export function checkSpam(ctx: Context): void {
  const { headers } = ctx.request;
  const error = 'Your content was recognized as spam and was discarded.';
  if (ctx.spam === 'off') return;
  if (ctx.spam === 'reject') throw httpError(400, { error });
  const logs = ctx.table('spam_logs');
  const log = logs.get(Number(serviceHeader(headers, 'spam-log-id')));
  if (log && log['user_id'] === ctx.requireUser().id && serviceHeader(headers, 'captcha-response')) {
    logs.remove(log);
    return;
  }
  const { id } = logs.insert({ user_id: ctx.requireUser().id, created_at: ctx.time() });
  throw new HttpError(409, {
    needs_captcha_response: true,
    spam_log_id: id,
    captcha_site_key: 'sandbox-captcha-site-key',
    message: { error: 'Your content was recognized as possible spam. Solve the CAPTCHA to proceed.' },
  });
}
