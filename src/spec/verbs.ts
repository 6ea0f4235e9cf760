/** The verbs of confirmations, each with the noun for a write that the service has only scheduled. */
export const verbs = {
  Added: 'addition',
  Canceled: 'cancellation',
  Configured: 'configuration',
  Created: 'creation',
  Deleted: 'deletion',
  Protected: 'protection',
  Refreshed: 'refresh',
  Removed: 'removal',
  Resent: 'resending',
  Started: 'start',
  Updated: 'update',
  Uploaded: 'upload',
} as const;

/**
 * The template of a confirmation: `Created badge {id} ({name})`. A placeholder is an attribute of the response, otherwise a
 * parameter, a slot or an argument. A word or a group in parentheses is omitted if its value is unknown; a group also if its value
 * is the default. `{scope}` is the project or group; without it, ` in {scope}` is appended.
 */
export type Done = `${keyof typeof verbs} ${string}`;
