/** Whose a token is: where the service tells, and in which words it is told on. */

/** Below the API's root. @param job of a job token; an access token otherwise */
export const ownerPath = (job: boolean): string => (job ? '/job' : '/user');

/** `job 7 (rspec)`, `mia (user 3)`; undefined where the answer names nobody. @param value what the service answered */
export function ownerIn(value: Readonly<Record<string, unknown>>, job: boolean): string | undefined {
  if (value['id'] === undefined) return undefined;
  if (job) return `job ${value['id']} (${value['name']})`;
  return `${value['username'] ?? value['name']} (user ${value['id']})`;
}
