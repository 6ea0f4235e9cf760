/** State files, and the kinds of resources that they describe. */
import { limitsOf, type Resource, type ResourceCalls, scopeOf } from '../../spec/resource.ts';
import { tie } from '../layout.ts';
import type { Block, Page } from '../page.ts';

function kindBlock(resource: Resource): Block {
  const { kind, identity, calls } = resource;
  const scopes = calls.map(scopeOf).join(', ');
  const key =
    identity.length > 0
      ? `Identified by ${identity.map((names) => names.join(' and ')).join(', or ')}`
      : 'Exists once';
  const attributes = `Attributes: ${Object.keys(resource.attributes).join(', ')}.`;
  return { term: kind, text: `For: ${scopes}. ${key}.`, below: [attributes, ...limitLines(resource, calls)] };
}

/** One line for limits that all scopes share, otherwise one per scope. */
function limitLines(resource: Resource, calls: readonly ResourceCalls[]): string[] {
  const lines = calls.map((some) => ({ scope: scopeOf(some), limits: limitsOf(resource, some).join('; ') }));
  const [first] = lines;
  if (first && lines.every(({ limits }) => limits === first.limits))
    return first.limits === '' ? [] : [`Limits: ${first.limits}.`];
  return lines
    .filter(({ limits }) => limits !== '')
    .map(({ scope, limits }) => `Limits in a ${scope}: ${limits}.`);
}

/** `svc-resources.7` */
export function resourcesPage(resources: readonly Resource[]): Page {
  return {
    name: 'svc-resources',
    section: 7,
    summary: 'state files for svc export, diff and apply',
    sections: [
      {
        title: 'Description',
        blocks: [
          {
            text: 'A state file declares settings of a project, a group or the instance. `svc export` prints one, `svc diff` compares it with the service, and `svc apply` makes the service match it.',
          },
          {
            lines: [
              'svc export --project acme/rocket > state.yaml',
              'svc diff -f state.yaml',
              'svc apply -f state.yaml',
            ],
          },
        ],
      },
      {
        title: 'State files',
        blocks: [
          {
            text: 'A state file is YAML 1.2 or JSON. Each document names its target: project, group, or instance: true. The other keys are the kinds below.',
          },
          {
            lines: [
              'svc: 1',
              'project: acme/rocket',
              'variables:',
              '  - key: LOG_LEVEL',
              '    value: debug',
              '  - key: API_TOKEN',
              '    value: { env: API_TOKEN }',
              '    masked: true',
              'approvals:',
              '  merge_requests_author_approval: false',
            ],
          },
          {
            text: `Only declared attributes are compared; other attributes keep their values. {${tie}env:${tie}NAME${tie}} and {${tie}file:${tie}path${tie}} read a value from the environment or from a file.`,
          },
        ],
      },
      {
        title: 'Plan',
        blocks: [
          {
            text: '`svc apply` shows the plan and asks for confirmation. A second run changes nothing. If a step fails or is interrupted, the next run completes the work. A declared attribute that the service does not return is sent with any other change of its resource. Otherwise the plan names it as not compared, which is no difference.',
          },
          {
            term: '--prune',
            text: 'Also deletes resources of the declared kinds that are not in the file, at most as many as `--max-deletes` allows.',
          },
          {
            term: '--rewrite-secrets',
            text: 'Also sends secrets that the service does not return, which cannot be compared.',
          },
          { term: '--save-plan, --plan', text: 'Saves the plan for a review, and executes only this plan.' },
        ],
      },
      { title: 'Kinds', blocks: resources.map(kindBlock) },
      { title: 'See also', blocks: [{ text: 'svc(1), svc-exit-codes(7).' }] },
    ],
  };
}
