/** CI/CD variables of a project (section 4.2). */
import { collection } from '../../core/collection.ts';
import type { AreaHandlers } from '../../core/context.ts';
import { badRequest, httpError } from '../../core/http-error.ts';
import type { AnyRow } from '../../core/rows.ts';

export interface Variable extends AnyRow {
  key: string;
  value: string;
  masked: boolean;
  hidden: boolean;
  environment_scope: string;
}

export const variables: AreaHandlers = {
  area: 'variables',
  collection: collection<Variable>({
    table: 'variables',
    // The specification states no role. Values are secrets, so servers of this API require Maintainer.
    readRole: 'maintainer',
    role: 'maintainer',
    view: (_, row) => (row.hidden ? { ...row, value: null } : row),
    find: ({ slots, params }, rows) => {
      const scope = params.hash('filter')?.['environment_scope'];
      const found = rows.filter(
        (row) => row.key === slots.text('key') && (scope === undefined || row.environment_scope === scope),
      );
      if (found.length > 1)
        throw httpError(
          409,
          "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'",
        );
      return found[0];
    },
    changes: ({ params }, row) => {
      const { filter: _, masked_and_hidden, ...values } = params.values;
      const hidden = row?.hidden ?? masked_and_hidden === true;
      const given = Object.entries(values).filter(
        ([name, value]) => value !== null || name === 'description',
      );
      // A hidden variable stays masked: otherwise a job log would show it.
      return { ...Object.fromEntries(given), hidden, ...(hidden ? { masked: true } : {}) };
    },
    // A job log masks text of at least eight characters on one line; servers of this API reject other masked values.
    check: (_, { masked, value }) => ({ value: masked && !/^\S{8,}$/.test(value) && ['is invalid'] }),
    unique: ['key', 'environment_scope'],
    duplicate: ({ key }) => badRequest({ key: [`(${key}) has already been taken`] }),
  }),
};
