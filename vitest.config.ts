import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'gateway/src/**/*.test.ts',
      'gateway/test/**/*.test.ts',
      'simulator/src/**/*.test.ts',
      'console/src/**/*.test.ts',
    ],
    globalSetup: ['gateway/test/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
