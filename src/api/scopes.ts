import type { Scope } from '../spec/endpoint.ts';
import { text } from '../spec/field.ts';

/** `/projects/:id`, filled by `--project`. */
export const project: Scope = {
  name: 'project',
  prefix: '/projects/:id',
  id: text('Project: its number or its full path', { placeholder: 'id|path', suggest: 'project' }),
};

/** `/groups/:id`, filled by `--group`. */
export const group: Scope = {
  name: 'group',
  prefix: '/groups/:id',
  id: text('Group: its number or its full path', { placeholder: 'id|path', suggest: 'group' }),
};
