import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Process tests start a fresh node each: on a small machine that is slow, and no fault.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What the shell of whoever runs the tests has set must not reach them.
    env: { NODE_EXTRA_CA_CERTS: '', CI: '' },
  },
});
