/** State files for tests: one for each kind of resource. */

export const project = 'svc: 1\nproject: acme/rocket\n';
export const group = 'svc: 1\ngroup: acme\n';
export const instance = 'svc: 1\ninstance: true\n';

/** A change of each kind: what it creates, updates and, with `--prune`, deletes. */
export const changesByKind: Readonly<Record<string, string>> = {
  variables: `${project}variables:
  - { key: LOG_LEVEL, value: 1e3, masked: false }
  - { key: DATABASE_URL, environment_scope: production, value: new, masked: false }
`,
  badges: `${project}badges:
  - { name: docs, link_url: https://docs.example, image_url: https://docs.example/a.svg }
  - { name: build, link_url: https://ci.example/new }
`,
  protected_branches: `${project}protected_branches: [{ name: main, push_access_level: 0, unprotect_access_level: 60, allow_force_push: true }, { name: v*, merge_access_level: 30 }]\n`,
  wikis: `${group}wikis:
  - { title: guides/new page, content: "# New\\n" }
  - { slug: home, content: changed }
`,
  snippets: `${project}snippets:
  - { title: New, visibility: private, files: [{ file_path: a.txt, content: a }, { file_path: b.txt, content: b }] }
  - { title: Hello, description: changed, files: [{ file_path: hello.sh, content: "echo\\n" }, { file_path: c.txt, content: c }] }
`,
  hooks: `${group}hooks: [{ url: https://hooks.example/in, push_events: true, token: t0p }]\n`,
  approval_rules: `${group}approval_rules: [{ name: Security, approvals_required: 5 }, { name: Legal, approvals_required: 1, user_ids: [2] }]\n`,
  approvals: `${project}approvals: { reset_approvals_on_push: false, merge_requests_author_approval: true }\n`,
  notifications: `${project}notifications: { level: custom, new_note: false }\n`,
  error_tracking: `${project}error_tracking: { active: false }\n`,
  appearance: `${instance}appearance: { title: Changed, description: "" }\n`,
  broadcasts: `${instance}broadcasts:
  - { message: Maintenance, starts_at: "2030-01-01T00:00:00+02:00", ends_at: "2030-01-01 04:00:00,5" }
`,
};
