/** A migration of a group, which the sandbox accepts. */
export const entity = {
  source_type: 'group_entity',
  source_full_path: 'tools',
  destination_slug: 'tools',
  destination_namespace: 'acme',
};

export const configuration = { url: 'https://old.example.com', access_token: 'source-secret' };
