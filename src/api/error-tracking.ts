import { area, under } from '../spec/compose.ts';
import { endpoint, one } from '../spec/endpoint.ts';
import { bool, pick, text, url } from '../spec/field.ts';
import { project } from './scopes.ts';

const settings = {
  active: bool('Errors are tracked'),
  integrated: bool('By the service itself rather than by another; on the hosted offering only'),
  project_name: text('Project in the other error tracker', { nullable: true }),
  tracker_external_url: url('Page of the other error tracker', { nullable: true }),
  api_url: url('API of the other error tracker', { nullable: true }),
};

const active = bool('Track errors, or stop', { required: true });
const common = { section: '4.19', access: { role: 'maintainer' } } as const;

export default area(
  under(project, [
    endpoint('GET error_tracking/settings', {
      ...common,
      command: 'get',
      summary: 'Show whether errors are tracked, and where',
      returns: one(settings),
      examples: [
        { does: 'Is it on, and who does it', run: 'error-tracking get --project acme/rocket' },
        {
          does: 'On or off, for a script',
          run: 'error-tracking get --project acme/rocket --fields active -o tsv --no-header',
        },
      ],
    }),
    endpoint('PUT error_tracking/settings', {
      ...common,
      access: { ...common.access, offering: 'hosted' },
      command: 'set',
      summary: 'Set up the error tracking that is part of the service',
      doc: 'Makes the setting where there is none yet. `error-tracking update` turns one that is there on or off.',
      takes: {
        active,
        integrated: bool('Track them by the service itself rather than by another', { required: true }),
      },
      returns: one(settings),
      examples: [
        {
          does: 'In a project that has none',
          run: 'error-tracking set --project acme/website --active --integrated',
        },
        {
          does: 'Set up, but not turned on yet',
          run: 'error-tracking set --project acme/website --no-active --integrated',
        },
      ],
    }),
    endpoint('PATCH error_tracking/settings', {
      ...common,
      command: 'update',
      summary: 'Turn error tracking on or off',
      takes: { active, ...pick(settings, 'integrated') },
      returns: one(settings),
      examples: [
        { does: 'Off', run: 'error-tracking update --project acme/rocket --no-active' },
        {
          does: 'On, by the service itself',
          run: 'error-tracking update --project acme/rocket --active --integrated',
        },
      ],
    }),
  ]),
);
