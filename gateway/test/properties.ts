// Loaded before every test file: what property tests say when they fail. With TOLLGATE_TEST_SEED they draw what another
// run drew, so that its counterexample fails again if it was one.

import fc from 'fast-check';

const seed = process.env.TOLLGATE_TEST_SEED;

fc.configureGlobal({ includeErrorInReport: true, ...(seed === undefined ? {} : { seed: Number(seed) }) });
