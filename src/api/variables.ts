import { area, inArea } from '../spec/compose.ts';
import { bool, choice, hash, need, pick, secret, text } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';
import { project } from './scopes.ts';

const key = text('Key: letters A-Z and a-z, digits and _', {
  maxLength: 255,
  pattern: { test: /^\w+$/, message: 'takes letters A-Z and a-z, digits and _ only' },
  suggest: 'variables/list/key',
});

const notEmpty = { test: /\S/, message: 'cannot be empty' };

export const variable = {
  key,
  value: secret('Value of the variable', {
    hiddenBy: 'hidden',
    rule: {
      test: /^\S{8,}$/,
      message: 'a masked value must have at least 8 characters, on one line, without white space',
    },
  }),
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

const endpoint = inArea('variables', {
  noun: 'variable',
  scope: project,
  fields: variable,
  columns: [
    'key',
    { path: 'environment_scope', label: 'SCOPE', kind: 'id' },
    { path: 'variable_type', label: 'TYPE' },
    'protected',
    'masked',
    'hidden',
    'description',
  ],
  slots: { key },
});

/** The flag that selects a variable by its scope, in every command. */
const flags = {
  environment_scope: {
    sets: ['filter', 'environment_scope'],
    doc: 'Environment scope of the variable, if several have the same key',
  },
} as const;

/** Several variables can share a key, so confirmations include the scope. */
const calls = {
  list: endpoint('GET variables', {
    examples: { 'Print keys and scopes as CSV': '--fields key,environment_scope --csv' },
  }),
  get: endpoint('GET variables/:key', {
    takes: filter,
    flags,
    examples: {
      'Print the value for production':
        'DATABASE_URL --environment-scope production --fields value -o tsv --no-header',
    },
  }),
  create: endpoint('POST variables', {
    command: 'create <key> [value]',
    doc: 'Older services ignore --masked-and-hidden. Add --masked, so that they mask the value.',
    takes: {
      ...need(variable, 'key', 'value'),
      ...settings,
      masked_and_hidden: bool('Masked in job logs and never shown again', { default: false }),
    },
    done: 'Created variable {key} (scope {environment_scope})',
    nextSteps: { already_exists: 'to change it, use svc variables set <key>' },
    examples: {
      'Create a file variable for production':
        'CERT_FILE @README.md --variable-type file --environment-scope production',
    },
  }),
  update: endpoint('PUT variables/:key', {
    command: 'update <key> [value]',
    takes: { ...need(variable, 'value'), ...settings, ...filter },
    flags: {
      ...flags,
      new_environment_scope: { sets: ['environment_scope'], doc: 'New environment scope of the variable' },
    },
    done: 'Updated variable {key} (scope {environment_scope})',
    examples: {
      'Select one of two variables with the same key':
        'DATABASE_URL postgres://new --environment-scope production',
    },
  }),
  delete: endpoint('DELETE variables/:key', {
    takes: filter,
    flags,
    done: 'Deleted variable {key} (scope {filter.environment_scope})',
    lossWarning: 'The value cannot be recovered',
    examples: {
      'Select one of two variables with the same key': 'DATABASE_URL --environment-scope production --yes',
    },
  }),
};

export const {
  list: listVariables,
  get: getVariable,
  create: createVariable,
  update: updateVariable,
} = calls;

export const variables = resource({
  kind: 'variables',
  calls: [calls],
  identity: [['key', 'environment_scope']],
  attributes: variable,
  limits: ['hidden values cannot be read'],
});

export default area(
  Object.values(calls),
  'Several variables can share a key if their environment scopes differ. Select one of them with --environment-scope <scope>.',
);
