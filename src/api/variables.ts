import { area, crud, under } from '../spec/compose.ts';
import { bool, choice, hash, need, pick, secret, text } from '../spec/field.ts';
import { project } from './scopes.ts';

const key = text('Key: letters A-Z and a-z, digits and _', {
  maxLength: 255,
  pattern: { test: /^\w+$/, says: 'takes letters A-Z and a-z, digits and _ only' },
  suggest: 'variable',
});

const variable = {
  key,
  value: secret('Text that jobs get under the key'),
  variable_type: choice(['env_var', 'file'], 'How a job gets it', { default: 'env_var' }),
  protected: bool('Only for protected branches and tags', { default: false }),
  masked: bool('Masked in job logs', { default: false }),
  hidden: bool('Never shown again, in no page and no answer', { default: false }),
  raw: bool('References to other variables are not expanded', { default: false }),
  environment_scope: text('Environments that get it', { default: '*', suggest: 'scope' }),
  description: text('What it is for', { nullable: true }),
};

const filter = {
  filter: hash(
    'Which of several variables with this key',
    { environment_scope: text('Environments of the one meant', { suggest: 'scope' }) },
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

const calls = under(
  project,
  crud('variables/:key', variable, {
    section: '4.2',
    noun: 'variable',
    slots: { key },
    columns: ['key', 'environment_scope', 'variable_type', 'protected', 'masked', 'hidden', 'description'],
    list: {
      examples: [
        { does: 'What is set, without the values', run: 'variables list --project acme/rocket' },
        {
          does: 'Keys and scopes as CSV',
          run: 'variables list --project acme/rocket --fields key,environment_scope --csv',
        },
      ],
    },
    get: {
      takes: filter,
      examples: [
        { does: 'One variable', run: 'variables get DEPLOY_USER --project acme/rocket' },
        {
          does: 'The one for production, its value alone',
          run: 'variables get DATABASE_URL --project acme/rocket --filter environment_scope=production --fields value -o tsv --no-header',
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
        { does: 'A plain variable', run: 'variables create LOG_LEVEL debug --project acme/rocket' },
        {
          does: 'A file for production, masked nowhere else',
          run: 'variables create CERT_FILE @README.md --project acme/rocket --variable-type file --environment-scope production',
        },
      ],
    },
    update: {
      command: 'update <key> [value]',
      takes: { ...need(variable, 'value'), ...settings, ...filter },
      examples: [
        { does: 'A new value', run: 'variables update DEPLOY_USER robot --project acme/rocket' },
        {
          does: 'One of two with the same key',
          run: 'variables update DATABASE_URL postgres://new --project acme/rocket --filter environment_scope=production',
        },
      ],
    },
    delete: {
      takes: filter,
      examples: [
        { does: 'Without being asked', run: 'variables delete DEPLOY_USER --project acme/rocket --yes' },
        {
          does: 'One of two with the same key',
          run: 'variables delete DATABASE_URL --project acme/rocket --filter environment_scope=production --yes',
        },
      ],
    },
  }),
);

export const [, getVariable, createVariable, updateVariable] = calls;

export default area(
  calls,
  'Several variables may share a key, each for other environments: --filter environment_scope=<scope> says which one is meant.',
);
