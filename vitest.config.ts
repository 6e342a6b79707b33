import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['gateway/test/global-setup.ts'],
    // Service tests wait more than they compute, so a third worker pays on two cores.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['gateway/src/**/*.test.ts', 'simulator/src/**/*.test.ts', 'console/src/**/*.test.ts'],
          testTimeout: 30_000,
          // Units keep nothing in their modules, so the modules are loaded once for all of them.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'services',
          include: ['gateway/test/**/*.test.ts'],
          // Nor do the parts of the gateway: each test composes its own. Loading them anew for every file took a third of the run.
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
