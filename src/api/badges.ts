import { area, crud, under } from '../spec/compose.ts';
import { endpoint, one } from '../spec/endpoint.ts';
import { choice, int, need, pick, text, url } from '../spec/field.ts';
import { group, project } from './scopes.ts';

const badge = {
  id: int('Badge id'),
  name: text('Label that tells it from others'),
  link_url: url('Where a click leads; may hold placeholders'),
  image_url: url('Image to show; may hold placeholders'),
  rendered_link_url: url('The link with its placeholders filled in'),
  rendered_image_url: url('The image with its placeholders filled in'),
  kind: choice(['project', 'group'], 'What it belongs to: the project itself, or a group above'),
};

const settings = pick(badge, 'link_url', 'image_url', 'name');
const urls = need(badge, 'link_url', 'image_url');

export default area(
  under(
    [project, group],
    [
      ...crud('badges/:badge_id', badge, {
        section: '4.12',
        noun: 'badge',
        slots: { badge_id: int('Badge id, as `badges list` shows it') },
        columns: ['id', 'name', 'kind', 'rendered_link_url', 'rendered_image_url'],
        list: {
          takes: { name: text('Only badges with exactly this name, case-sensitive') },
          examples: [
            { does: 'What a project shows', run: 'badges list --project acme/rocket' },
            {
              does: 'Links as they were written, placeholders and all',
              run: 'badges list --project acme/rocket --fields id,kind,link_url,image_url',
            },
            { does: 'What a group shows in all its projects', run: 'badges list --group acme' },
            { does: 'The same, as JSON', run: 'badges list --group acme --json' },
          ],
        },
        get: {
          examples: [
            { does: 'A badge of a project', run: 'badges get 81 --project acme/rocket' },
            {
              does: 'Where it leads, for a script',
              run: 'badges get 81 --project acme/rocket --fields rendered_link_url -o tsv --no-header',
            },
            { does: 'A badge of a group', run: 'badges get 91 --group acme' },
            {
              does: 'Its link, before and after',
              run: 'badges get 91 --group acme --fields link_url,rendered_link_url',
            },
          ],
        },
        create: {
          takes: { ...urls, name: settings.name },
          examples: [
            {
              does: 'A badge of one project',
              run: 'badges create --project acme/rocket --name docs --link-url https://docs.example/rocket --image-url https://img.example/docs.svg',
            },
            {
              does: 'With the default branch filled in',
              run: 'badges create --project acme/rocket --name build --link-url "https://ci.example/%{project_path}/%{default_branch}" --image-url "https://ci.example/%{project_path}/%{default_branch}.svg"',
            },
            {
              does: 'One for every project of a group',
              run: 'badges create --group acme --name quality --link-url "https://quality.example/%{project_path}" --image-url "https://quality.example/%{project_id}.svg"',
            },
            {
              does: 'The same for all of them, without placeholders',
              run: 'badges create --group acme --name handbook --link-url https://handbook.example --image-url https://img.example/handbook.svg',
            },
          ],
        },
        update: {
          takes: settings,
          examples: [
            { does: 'Another label', run: 'badges update 81 --project acme/rocket --name nightly' },
            {
              does: 'Another image',
              run: 'badges update 82 --project acme/rocket --image-url "https://img.example/%{project_name}.svg"',
            },
            { does: 'The label of a group badge', run: 'badges update 91 --group acme --name company' },
            {
              does: 'Where a group badge leads',
              run: 'badges update 91 --group acme --link-url "https://acme.example/%{project_path}"',
            },
          ],
        },
        delete: {
          doc: 'With --project, only badges of the project can be deleted. Delete inherited badges with --group.',
          examples: [
            { does: 'Without being asked', run: 'badges delete 82 --project acme/rocket --yes' },
            {
              does: 'See the request before it is made',
              run: 'badges delete 81 --project acme/rocket --dry-run',
            },
            { does: 'From all projects of a group', run: 'badges delete 91 --group acme --yes' },
            {
              does: 'See that request before it is made',
              run: 'badges delete 91 --group acme --dry-run',
            },
          ],
        },
      }),
      endpoint('GET badges/render', {
        section: '4.12',
        command: 'render',
        summary: 'Preview a link and an image, placeholders filled in',
        doc: 'Nothing is saved. For a group, the placeholders are filled in from its oldest project; without a project, they are not replaced.',
        takes: urls,
        returns: one(pick(badge, 'link_url', 'image_url', 'rendered_link_url', 'rendered_image_url')),
        columns: ['rendered_link_url', 'rendered_image_url'],
        examples: [
          {
            does: 'What a project would show',
            run: 'badges render --project acme/rocket --link-url "https://ci.example/%{project_path}" --image-url "https://ci.example/%{project_id}/%{commit_sha}.svg"',
          },
          {
            does: 'One placeholder, for a script',
            run: 'badges render --project acme/rocket --link-url "https://x.example/%{latest_tag}" --image-url https://x.example --fields rendered_link_url -o tsv --no-header',
          },
          {
            does: 'What a group would show',
            run: 'badges render --group acme --link-url "https://acme.example/%{group_name}" --image-url "https://img.example/%{project_name}.svg"',
          },
          {
            does: 'Both before and after, as JSON',
            run: 'badges render --group acme --link-url "https://acme.example/%{project_title}" --image-url https://img.example/a.svg --json',
          },
        ],
      }),
    ],
  ),
  'A project shows its own badges and those of the groups above it; `kind` tells which. Placeholders in a link or an image are filled in for each project: %{project_path}, %{project_title}, %{project_name}, %{project_id}, %{project_namespace}, %{group_name}, %{service_server}, %{service_pages_domain}, %{default_branch}, %{commit_sha}, %{latest_tag}.',
);
