// Loaded into a gateway before anything else: tells whoever started it how much it has allocated and how many promises
// it has made. Counting promises allocates, so the two are never counted at once. Needs --expose-gc, and a semi-space
// so large that nothing is collected in between.

import { createHook } from 'node:async_hooks';
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

let promises = 0;
let collections = 0;

const hook = createHook({
  init(_id, type) {
    if (type === 'PROMISE') promises += 1;
  },
});
new PerformanceObserver((list) => {
  collections += list.getEntries().length;
}).observe({ entryTypes: ['gc'] });

const answers = {
  collect: () => globalThis.gc(),
  collectYoung: () => globalThis.gc({ type: 'minor' }),
  countPromises: () => hook.enable(),
  countBytes: () => hook.disable(),
  read: () => {},
};

process.on('message', (question) => {
  answers[question]?.();
  // The observer hears of a collection only in a later turn.
  setImmediate(() => process.send?.({ promises, collections, heapBytes: getHeapStatistics().used_heap_size }));
});
