/** Whose a token is: where the service tells, and in which words it is told on. */

/** Below the API's root. @param job of a job token; an access token otherwise */
export const ownerPath = (job: boolean): string => (job ? '/job' : '/user');

/** `job 7 (rspec)`, `mia (user 3)`; undefined where the answer names nobody. @param value what the service answered */
export function ownerIn(value: Readonly<Record<string, unknown>>, job: boolean): string | undefined {
  const { id, name, username } = value;
  if (typeof id !== 'number') return undefined;
  const called = job ? name : (username ?? name);
  const number = `${job ? 'job' : 'user'} ${id}`;
  if (typeof called !== 'string') return number;
  return job ? `${number} (${called})` : `${called} (${number})`;
}
