import { area, callsIn, crud } from '../spec/compose.ts';
import { bool, choice, hash, need, pick, secret, text } from '../spec/field.ts';
import { type Row, resource } from '../spec/resource.ts';
import { project } from './scopes.ts';

const key = text('Key: letters A-Z and a-z, digits and _', {
  maxLength: 255,
  pattern: { test: /^\w+$/, says: 'takes letters A-Z and a-z, digits and _ only' },
  suggest: 'variables/list/key',
});

const notEmpty = { test: /\S/, says: 'cannot be empty' };

const variable = {
  key,
  value: secret('Value of the variable', { hiddenBy: 'hidden' }),
  variable_type: choice(
    ['env_var', 'file'],
    'How jobs receive the value: as an environment variable, or as the path of a file',
    { default: 'env_var' },
  ),
  protected: bool('Available only on protected branches and tags', { default: false }),
  masked: bool('Masked in job logs', { default: false }),
  hidden: bool('Value never shown again, in pages or responses', { default: false }),
  raw: bool('Used literally, without expanding references to other variables', { default: false }),
  environment_scope: text('Environments in which the variable is available', {
    default: '*',
    pattern: notEmpty,
    suggest: 'variables/list/environment_scope',
  }),
  description: text('Description of the variable', { nullable: true }),
};

const filter = {
  filter: hash(
    'Selects one of several variables with the same key',
    {
      environment_scope: text('Environment scope of the variable', {
        pattern: notEmpty,
        suggest: 'variables/list/environment_scope',
      }),
    },
    { in: 'query' },
  ),
};

const settings = pick(
  variable,
  'description',
  'environment_scope',
  'masked',
  'protected',
  'raw',
  'variable_type',
);

const collection = callsIn(
  project,
  crud('variables/:key', variable, {
    section: '4.2',
    noun: 'variable',
    slots: { key },
    columns: [
      'key',
      { path: 'environment_scope', label: 'SCOPE', kind: 'id' },
      { path: 'variable_type', label: 'TYPE' },
      'protected',
      'masked',
      'hidden',
      'description',
    ],
    list: {
      examples: [
        { does: 'List variables without their values', run: 'variables list --project acme/rocket' },
        {
          does: 'Print keys and scopes as CSV',
          run: 'variables list --project acme/rocket --fields key,environment_scope --csv',
        },
      ],
    },
    get: {
      takes: filter,
      examples: [
        { does: 'Show one variable', run: 'variables get DEPLOY_USER --project acme/rocket' },
        {
          does: 'Print the value for production',
          run: 'variables get DATABASE_URL --project acme/rocket --environment-scope production --fields value -o tsv --no-header',
        },
      ],
    },
    create: {
      command: 'create <key> [value]',
      takes: {
        ...need(variable, 'key', 'value'),
        ...settings,
        masked_and_hidden: bool('Masked in job logs and never shown again', { default: false }),
      },
      examples: [
        { does: 'Create a variable', run: 'variables create LOG_LEVEL debug --project acme/rocket' },
        {
          does: 'Create a file variable for production',
          run: 'variables create CERT_FILE @README.md --project acme/rocket --variable-type file --environment-scope production',
        },
      ],
    },
    update: {
      command: 'update <key> [value]',
      takes: { ...need(variable, 'value'), ...settings, ...filter },
      examples: [
        { does: 'Change the value', run: 'variables update DEPLOY_USER robot --project acme/rocket' },
        {
          does: 'Select one of two variables with the same key',
          run: 'variables update DATABASE_URL postgres://new --project acme/rocket --environment-scope production',
        },
      ],
    },
    delete: {
      takes: filter,
      examples: [
        {
          does: 'Delete without confirmation',
          run: 'variables delete DEPLOY_USER --project acme/rocket --yes',
        },
        {
          does: 'Select one of two variables with the same key',
          run: 'variables delete DATABASE_URL --project acme/rocket --environment-scope production --yes',
        },
      ],
    },
  }),
);

/** The flag that selects a variable by its scope, in every command. */
const selectByScope = {
  environment_scope: {
    sets: ['filter', 'environment_scope'],
    doc: 'Environment scope of the variable, if several have the same key',
  },
} as const;

/** Several variables can share a key, so confirmations include the scope. */
const calls = {
  ...collection,
  get: { ...collection.get, flags: selectByScope },
  create: {
    ...collection.create,
    done: 'Created variable {key} (scope {environment_scope})',
    ifExists: 'variables set <key>',
  },
  update: {
    ...collection.update,
    done: 'Updated variable {key} (scope {environment_scope})',
    flags: {
      ...selectByScope,
      new_environment_scope: { sets: ['environment_scope'], doc: 'New environment scope of the variable' },
    },
  },
  delete: {
    ...collection.delete,
    done: 'Deleted variable {key} (scope {filter.environment_scope})',
    loses: 'The value cannot be recovered',
    flags: selectByScope,
  },
} as const;

export const { get: getVariable, create: createVariable, update: updateVariable } = calls;

/** A creation hides a value with the parameter `masked_and_hidden`. An update cannot hide a value. */
function toCreate({ hidden, masked, ...entry }: Row): Row {
  if (hidden === true) return { ...entry, masked_and_hidden: true };
  return masked === undefined ? entry : { ...entry, masked };
}

export const variables = resource({
  kind: 'variables',
  noun: 'variable',
  calls: [calls],
  identity: [['key', 'environment_scope']],
  attributes: variable,
  limits: ['hidden values cannot be read'],
  isUnreadable: ({ hidden }) => hidden === true,
  isMasked: ({ masked }) => masked === true,
  toCreate,
  select: ({ environment_scope }) => ({ filter: { environment_scope: String(environment_scope ?? '*') } }),
});

export default area(
  Object.values(calls),
  'Several variables can share a key if their environment scopes differ. Select one of them with --environment-scope <scope>.',
);
