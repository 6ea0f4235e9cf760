import type { Seeder } from '../../seed/seeder.ts';
import type { Variable } from './handlers.ts';

/** A variable of acme/rocket. */
export const plain = {
  project_id: 100,
  variable_type: 'env_var',
  protected: false,
  masked: false,
  hidden: false,
  raw: false,
  environment_scope: '*',
  description: null,
} as const;

const kubeconfig = 'apiVersion: v1\nkind: Config\ncurrent-context: staging\n';

export const variables: Seeder = (world) => {
  const table = world.table<Variable>('variables');
  table.insert({ ...plain, key: 'DEPLOY_USER', value: 'deployer', description: 'User name for deployments' });
  table.insert({
    ...plain,
    key: 'DATABASE_URL',
    value: 'postgres://db.production',
    environment_scope: 'production',
  });
  table.insert({
    ...plain,
    key: 'DATABASE_URL',
    value: 'postgres://db.staging',
    environment_scope: 'staging',
  });
  table.insert({ ...plain, key: 'API_TOKEN', value: 'not-a-real-token', masked: true, protected: true });
  table.insert({ ...plain, key: 'KUBECONFIG', value: kubeconfig, variable_type: 'file' });
  table.insert({ ...plain, key: 'HIDDEN_KEY', value: 'not-to-be-seen', masked: true, hidden: true });
};
