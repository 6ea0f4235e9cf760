import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { textFiles } from './scripts/text-files.mjs';

/** Tests that start other programs (the built `svc`, shells, man), and tests of real connections that time out. */
const processTests = [
  'test/process/**/*.test.ts',
  'test/architecture/{loads,new-area}.test.ts',
  'test/docs/{coming-from,generate,man,recipes,record,site,typed-client}.test.ts',
  'test/clients/python-gitlab.test.ts',
  'test/config/store.test.ts',
  'test/http/{connections,transports}.test.ts',
  'test/readme.test.ts',
  // Thousands of requests each, which would make the inner loop longer than a minute.
  'test/tasks/each/exec.test.ts',
  'test/sandbox/{core-hostile,control/snapshots}.test.ts',
  'test/interface/{fields,parallel}.test.ts',
  'test/docs/schema.test.ts',
  'test/mcp/{hints,safety}.test.ts',
  'test/http/faults.test.ts',
  'test/sandbox/{hook-causes,job-alarm}.test.ts',
  'test/examples.test.ts',
  'test/cli/read-only.test.ts',
  'test/tasks/engine/yaml.test.ts',
  'test/cli/jq.test.ts',
  // Starts a program in place of man.
  'test/cli/man.test.ts',
  // Large data.
  'test/output/{large,passthrough,sink,turn,width}.test.ts',
  'test/sandbox/{git-history,scale}.test.ts',
  // Starts git.
  'test/sandbox/git-repository.test.ts',
  'test/support/patterns.test.ts',
  // Waits as the SDK of another program does.
  'test/clients/sentry.test.ts',
];
/** Observes which modules are loaded, which requires a worker of its own. */
const isolatedTests = ['test/sandbox/core-start.test.ts'];
/** Tests with random cases. */
const propertyTests = ['test/properties/**/*.test.ts'];

export default defineConfig({
  plugins: [textFiles],
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...processTests, ...isolatedTests, ...propertyTests],
        },
      },
      { extends: true, test: { name: 'process', include: processTests } },
      { extends: true, test: { name: 'isolated', include: isolatedTests, isolate: true } },
      {
        extends: true,
        test: {
          name: 'property',
          include: propertyTests,
          setupFiles: 'test/support/runs.ts',
        },
      },
    ],
    // With the small young generation of a new process, a third of the time is garbage collection. Its threads would compete with the other
    // worker for the processors.
    execArgv: ['--min-semi-space-size=64', '--max-semi-space-size=64', '--single-threaded-gc'],
    // Loading the same modules for each file again takes a third of the time.
    isolate: false,
    // The next run compiles only what has changed.
    experimental: { fsModuleCache: true },
    // Tests wait for programs, timers and files a third of the time.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    // These only end what hangs: a busy machine can take twenty times as long as an idle one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    env: {
      // Settings of the developer's shell must not reach the tests.
      NODE_EXTRA_CA_CERTS: '',
      CI: '',
      PROPERTY_RUNS: process.env['PROPERTY_RUNS'] || (process.env['CI'] ? '1000' : '200'),
    },
  },
});
