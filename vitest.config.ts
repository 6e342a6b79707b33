import { defineConfig } from 'vitest/config';
import { PATIENCE_MS, TEST_MS_MAX } from './gateway/test/patience.ts';

export default defineConfig({
  test: {
    globalSetup: ['gateway/test/global-setup.ts'],
    setupFiles: ['gateway/test/properties.ts'],
    // Service tests wait almost as long as they compute, so that more workers than cores pay.
    maxWorkers: 4,
    // Tests leave much behind that is soon garbage: in larger pieces its collection takes a tenth less of the whole run.
    execArgv: ['--max-semi-space-size=64', '--min-semi-space-size=32'],
    // Targets of a long fuzz take turns, all of them.
    maxConcurrency: process.env.TOLLGATE_FUZZ_FOLDER === undefined ? 5 : 100,
    // A condition is waited for as long as it takes, on a machine that has other work too; what it says is asked often.
    expect: { poll: { timeout: PATIENCE_MS, interval: 20 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'units',
          include: ['gateway/src/**/*.test.ts', 'simulator/src/**/*.test.ts', 'console/src/**/*.test.{ts,tsx}'],
          testTimeout: TEST_MS_MAX,
          hookTimeout: TEST_MS_MAX,
          // Units keep nothing in their modules, so the modules are loaded once for all of them.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'services',
          include: ['gateway/test/**/*.test.ts', 'sdk/test/**/*.test.ts'],
          // Nor do the parts of the gateway: each test composes its own. Loading them anew for every file took a third
          // of the run.
          isolate: false,
          testTimeout: TEST_MS_MAX,
          hookTimeout: TEST_MS_MAX,
        },
      },
    ],
  },
});
