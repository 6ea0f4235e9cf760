/** The text for a web page in place of a response of the API. */

export const pageHint = 'a proxy or login page may have responded: check the base URL and the proxy settings';

export function pageMessage(expected = 'JSON'): string {
  return `the response is an HTML or XML page, not ${expected}`;
}
