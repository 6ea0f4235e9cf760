import { area, callsIn, crud, under } from '../spec/compose.ts';
import { endpoint, one } from '../spec/endpoint.ts';
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

const calls = crud('badges/:badge_id', badge, {
  section: '4.12',
  noun: 'badge',
  slots: { badge_id: int('Badge id, as `badges list` shows it') },
  columns: [
    'id',
    'name',
    'kind',
    { path: 'rendered_link_url', label: 'LINK' },
    { path: 'rendered_image_url', label: 'IMAGE' },
  ],
  list: {
    takes: { name: text('Only badges with exactly this name, case-sensitive') },
    examples: [
      { does: 'List the badges of a project', run: 'badges list --project acme/rocket' },
      {
        does: 'Show the URLs with their placeholders',
        run: 'badges list --project acme/rocket --fields id,kind,link_url,image_url',
      },
      { does: 'List the badges of a group', run: 'badges list --group acme' },
      { does: 'Print the badges of a group as JSON', run: 'badges list --group acme --json' },
    ],
  },
  get: {
    examples: [
      { does: 'Show a badge of a project', run: 'badges get 81 --project acme/rocket' },
      {
        does: 'Print only the link for a script',
        run: 'badges get 81 --project acme/rocket --fields rendered_link_url -o tsv --no-header',
      },
      { does: 'Show a badge of a group', run: 'badges get 91 --group acme' },
      {
        does: 'Compare its link with and without placeholders',
        run: 'badges get 91 --group acme --fields link_url,rendered_link_url',
      },
    ],
  },
  create: {
    takes: { ...urls, name: settings.name },
    examples: [
      {
        does: 'Create a badge for one project',
        run: 'badges create --project acme/rocket --name docs --link-url https://docs.example/rocket --image-url https://img.example/docs.svg',
      },
      {
        does: 'Create a badge that links to the default branch',
        run: 'badges create --project acme/rocket --name build --link-url "https://ci.example/%{project_path}/%{default_branch}" --image-url "https://ci.example/%{project_path}/%{default_branch}.svg"',
      },
      {
        does: 'Create a badge for every project of a group',
        run: 'badges create --group acme --name quality --link-url "https://quality.example/%{project_path}" --image-url "https://quality.example/%{project_id}.svg"',
      },
      {
        does: 'Create the same badge for every project, without placeholders',
        run: 'badges create --group acme --name handbook --link-url https://handbook.example --image-url https://img.example/handbook.svg',
      },
    ],
  },
  update: {
    takes: settings,
    examples: [
      { does: 'Rename a badge', run: 'badges update 81 --project acme/rocket --name nightly' },
      {
        does: 'Change the image',
        run: 'badges update 82 --project acme/rocket --image-url "https://img.example/%{project_name}.svg"',
      },
      { does: 'Rename a badge of a group', run: 'badges update 91 --group acme --name company' },
      {
        does: 'Change the link of a badge of a group',
        run: 'badges update 91 --group acme --link-url "https://acme.example/%{project_path}"',
      },
    ],
  },
  delete: {
    doc: 'A badge that a project inherits must be deleted from its group with --group.',
    examples: [
      { does: 'Delete without confirmation', run: 'badges delete 82 --project acme/rocket --yes' },
      {
        does: 'Print the request without sending it',
        run: 'badges delete 81 --project acme/rocket --dry-run',
      },
      { does: 'Delete a badge of a group', run: 'badges delete 91 --group acme --yes' },
      {
        does: 'Print that request without sending it',
        run: 'badges delete 91 --group acme --dry-run',
      },
    ],
  },
});

export const badges = resource({
  kind: 'badges',
  noun: 'badge',
  calls: [callsIn(project, calls), callsIn(group, calls)],
  identity: [['name'], ['link_url', 'image_url']],
  // A project lists the badges of its groups too.
  includes: ({ kind }, scope) => kind === undefined || kind === scope,
});

export default area(
  under(
    [project, group],
    [
      ...Object.values(calls),
      endpoint('GET badges/render', {
        section: '4.12',
        command: 'render',
        summary: 'Preview a badge with its placeholders replaced',
        doc: 'Nothing is saved. For a group, the values come from its oldest project; if it has no projects, the placeholders are not replaced.',
        takes: urls,
        returns: one(pick(badge, 'link_url', 'image_url', 'rendered_link_url', 'rendered_image_url')),
        columns: ['rendered_link_url', 'rendered_image_url'],
        examples: [
          {
            does: 'Preview a badge of a project',
            run: 'badges render --project acme/rocket --link-url "https://ci.example/%{project_path}" --image-url "https://ci.example/%{project_id}/%{commit_sha}.svg"',
          },
          {
            does: 'Print the value of one placeholder for a script',
            run: 'badges render --project acme/rocket --link-url "https://x.example/%{latest_tag}" --image-url https://x.example --fields rendered_link_url -o tsv --no-header',
          },
          {
            does: 'Preview a badge of a group',
            run: 'badges render --group acme --link-url "https://acme.example/%{group_name}" --image-url "https://img.example/%{project_name}.svg"',
          },
          {
            does: 'Print all URLs as JSON',
            run: 'badges render --group acme --link-url "https://acme.example/%{project_title}" --image-url https://img.example/a.svg --json',
          },
        ],
      }),
    ],
  ),
  'A project shows its own badges and those of its parent groups; `kind` distinguishes them. These placeholders in a URL are replaced for each project: %{project_path}, %{project_title}, %{project_name}, %{project_id}, %{project_namespace}, %{group_name}, %{service_server}, %{service_pages_domain}, %{default_branch}, %{commit_sha}, %{latest_tag}.',
);
