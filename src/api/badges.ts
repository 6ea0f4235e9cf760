import { area, inArea } from '../spec/compose.ts';
import { one, type Scope } from '../spec/endpoint.ts';
import { choice, int, need, pick, text, url } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';
import { group, project } from './scopes.ts';

const badge = {
  id: int('Badge id'),
  name: text('Name of the badge'),
  link_url: url('URL that the badge links to; may contain placeholders'),
  image_url: url('URL of the image; may contain placeholders'),
  rendered_link_url: url('Link with its placeholders replaced'),
  rendered_image_url: url('Image URL with its placeholders replaced'),
  kind: choice(['project', 'group'], 'Owner of the badge: the project, or one of its groups'),
};
const settings = pick(badge, 'link_url', 'image_url', 'name');
const urls = need(badge, 'link_url', 'image_url');
const rendered = pick(badge, 'link_url', 'image_url', 'rendered_link_url', 'rendered_image_url');

function callsIn(scope: Scope, sample: string) {
  const endpoint = inArea('badges', {
    noun: 'badge',
    scope,
    fields: badge,
    columns: [
      'id',
      'name',
      'kind',
      { path: 'rendered_link_url', label: 'LINK' },
      { path: 'rendered_image_url', label: 'IMAGE' },
    ],
    sample,
  });
  return {
    list: endpoint('GET badges', {
      takes: { name: text('Only badges with exactly this name, case-sensitive') },
      examples: { 'Show the URLs with their placeholders': '--fields id,kind,link_url,image_url' },
    }),
    get: endpoint('GET badges/:badge_id', {
      examples: {
        'Print only the link for a script': `${sample} --fields rendered_link_url -o tsv --no-header`,
      },
    }),
    create: endpoint('POST badges', {
      takes: { ...urls, name: settings.name },
      examples: {
        'Create a badge with placeholders in its URLs':
          '--name build --link-url "https://ci.example/%{project_path}" --image-url "https://ci.example/%{default_branch}.svg"',
      },
    }),
    update: endpoint('PUT badges/:badge_id', {
      takes: settings,
      examples: { 'Rename a badge': `${sample} --name nightly` },
    }),
    delete: endpoint('DELETE badges/:badge_id', {
      doc: 'A badge that a project inherits must be deleted from its group with --group.',
    }),
    render: endpoint('GET badges/render', {
      command: 'render',
      summary: 'Preview a badge with its placeholders replaced',
      doc: 'Nothing is saved. For a group, the values come from its oldest project; if it has no projects, the placeholders are not replaced.',
      takes: urls,
      returns: one(rendered),
      columns: ['rendered_link_url', 'rendered_image_url'],
      examples: {
        'Print the value of one placeholder for a script':
          '--link-url "https://x.example/%{latest_tag}" --image-url https://x.example --fields rendered_link_url -o tsv --no-header',
      },
    }),
  };
}
const calls = [callsIn(project, '82'), callsIn(group, '91')] as const;

export const badges = resource({
  kind: 'badges',
  calls,
  identity: [['name'], ['link_url', 'image_url']],
});

export default area(
  calls.flatMap((scoped) => Object.values(scoped)),
  'A project shows its own badges and those of its parent groups; `kind` distinguishes them. These placeholders in a URL are replaced for each project: %{project_path}, %{project_title}, %{project_name}, %{project_id}, %{project_namespace}, %{group_name}, %{service_server}, %{service_pages_domain}, %{default_branch}, %{commit_sha}, %{latest_tag}.',
);
