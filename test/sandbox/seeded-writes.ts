/** Writes that succeed in a new sandbox, for each endpoint that returns an object or a list. */

import { type Field, itemOf } from '../../src/spec/field.ts';
import { seededShas } from '../support/seeded-shas.ts';
import { type SeededCall, seededCalls } from './seeded-calls.ts';

type Values = Readonly<Record<string, unknown>>;

/** Values of parameters that must fit the seeded world or each other. `undefined` omits a parameter. */
const values: Values = {
  author_email: 'ada@example.com',
  branch: 'feature/search',
  color: '#336699',
  commits: [seededShas['main~3']],
  destination_namespace: 'acme',
  file_name: undefined,
  filter: { environment_scope: '*' },
  font: '#ffffff',
  group_ids: [11],
  last_commit_id: undefined,
  level: 'custom',
  message_background_color: '#336699',
  message_font_color: '#ffffff',
  notification_email: undefined,
  parent_id: 606,
  protected_branch_ids: undefined,
  ref: 'main',
  rule_type: 'regular',
  selective_code_owner_removals: false,
  start_branch: undefined,
  user_ids: [2],
};

/** Values for some endpoints only. */
const special: Readonly<Record<string, Values>> = {
  'POST /projects/:id/variables': { masked: false, masked_and_hidden: false },
  'PUT /projects/:id/variables/:key': { masked: false },
  'POST /projects/:id/repository/branches': { branch: 'new' },
  'POST /license': { license: 'the text of a license' },
};

function exampleOf(name: string, field: Field, own: Values): unknown {
  for (const known of [own, values]) if (name in known) return known[name];
  if ('choices' in field && field.choices) return field.choices[0];
  switch (field.kind) {
    case 'text':
      return field.placeholder === 'url' ? 'https://a.example/x' : 'text';
    case 'int':
    case 'number':
      return field.min ?? 1;
    case 'bool':
      return true;
    case 'datetime':
      return '2026-03-01T12:00:00Z';
    case 'date':
      return '2026-03-01';
    case 'file':
      return new File(['bytes'], 'x.png', { type: 'image/png' });
    case 'list':
      return [exampleOf(name, itemOf(field), {})];
    case 'rows':
      return [bodyOf(field.keys, own)];
    case 'hash':
    case 'object':
      return field.keys ? bodyOf(field.keys, own) : {};
  }
}

function bodyOf(fields: Readonly<Record<string, Field>>, own: Values, only?: 'required'): Values {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => !only || field.required)
      .map(([name, field]) => [name, exampleOf(name, field, own)])
      .filter(([, value]) => value !== undefined),
  );
}

/** A JSON body, or a form if a file is sent. */
function sent(body: Values): SeededCall['how'] {
  const parts = Object.entries(body);
  if (parts.length === 0) return {};
  if (!parts.some(([, value]) => value instanceof File)) return { json: body };
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value instanceof File ? value : String(value));
  return { form };
}

/** Return two requests for each write that returns data: with the required parameters only, and with all. */
export function seededWrites(): SeededCall[] {
  return seededCalls('POST', 'PUT', 'PATCH')
    .filter(({ endpoint }) => 'fields' in endpoint.returns)
    .flatMap((call) => {
      const { takes } = call.endpoint;
      const own = special[call.route] ?? {};
      return (['required', undefined] as const).map((only) => ({
        ...call,
        title: `${call.title} with ${only ? 'required' : 'all'} parameters`,
        how: { ...call.how, ...sent(bodyOf(takes, own, only)) },
      }));
    });
}
