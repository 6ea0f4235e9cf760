import { apiRoot } from '../../../spec/request.ts';

/**
 * Return the URL of the web page that creates an access token, with its form filled in. Services of this family share the page; on
 * another service the user finds the page in the settings of the account.
 */
export function tokenPage(root: string): string {
  const base = apiRoot(root).replace(/\/api\/v4$/, '');
  return `${base}/-/user_settings/personal_access_tokens?name=svc&scopes=api`;
}
