// Loaded into a gateway before anything else: measures it from within, after a collection, and puts its wall clock
// forward or back.

import { readdirSync } from 'node:fs';
import { queryObjects } from 'node:v8';

const trueNow = Date.now;
let shiftMs = 0;
Date.now = () => trueNow() + shiftMs;

class NeverMade {}

function measure() {
  // Looking for objects collects until nothing more comes free; one collection leaves code that is not used any more.
  queryObjects(NeverMade);
  const { heapUsed, rss, external } = process.memoryUsage();
  const resources = process.getActiveResourcesInfo();
  return {
    heapBytes: heapUsed,
    externalBytes: external,
    rssBytes: rss,
    descriptors: readdirSync('/proc/self/fd').length,
    timers: resources.filter((name) => name === 'Timeout').length,
    resources: resources.length,
  };
}

process.on('message', (question) => {
  const [word, value] = String(question).split(' ');
  if (word === 'step') shiftMs += Number(value);
  process.send?.(word === 'measure' ? measure() : { shiftMs });
});
