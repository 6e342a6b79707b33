import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['gateway/test/global-setup.ts'],
    setupFiles: ['gateway/test/properties.ts'],
    // Service tests wait as long as they compute, so that two more workers pay on two cores.
    maxWorkers: 4,
    // A condition is waited for as long as it takes, on a machine that has other work too; what it says is asked often.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['gateway/src/**/*.test.ts', 'simulator/src/**/*.test.ts', 'console/src/**/*.test.ts'],
          testTimeout: 120_000,
          // Units keep nothing in their modules, so the modules are loaded once for all of them.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'services',
          include: ['gateway/test/**/*.test.ts', 'sdk/test/**/*.test.ts'],
          // Nor do the parts of the gateway: each test composes its own. Loading them anew for every file took a third of the run.
          isolate: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
