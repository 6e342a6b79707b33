// Loaded before every test file: the message of failed property tests. With TOLLGATE_TEST_SEED they draw the same
// values as another run, so that its counterexample fails again.

import fc from 'fast-check';

const seed = process.env.TOLLGATE_TEST_SEED;

fc.configureGlobal({ includeErrorInReport: true, ...(seed === undefined ? {} : { seed: Number(seed) }) });
