import type { Scope } from '../spec/endpoint.ts';
import { text } from '../spec/field.ts';

/** `/projects/:id`, filled by `--project`. */
export const project: Scope = {
  name: 'project',
  prefix: '/projects/:id',
  id: text('Id or full path of the project', { placeholder: 'id|path', suggest: 'project' }),
};

/** `/groups/:id`, filled by `--group`. */
export const group: Scope = {
  name: 'group',
  prefix: '/groups/:id',
  id: text('Id or full path of the group', { placeholder: 'id|path', suggest: 'group' }),
};
