// The page that a scraper sees of several workers.

import { expect, test } from 'vitest';
import { mergeMetrics } from './merge-metrics.ts';

const page = (requests: number, lag: number) => `# HELP requests_total Requests, by route.
# TYPE requests_total counter
requests_total{route="/v1/\\"x\\"",status="200"} ${requests}

# HELP lag Seconds.
# TYPE lag gauge
lag ${lag}
`;

test('figures of one name stand together and say whose they are', () => {
  const merged = mergeMetrics([
    { worker: 1, text: page(3, 0.5) },
    { worker: 2, text: `${page(4, 0.25)}# HELP late_total Only here.\n# TYPE late_total counter\nlate_total 1\n` },
  ]);
  expect(merged).toBe(`# HELP requests_total Requests, by route.
# TYPE requests_total counter
requests_total{worker="1",route="/v1/\\"x\\"",status="200"} 3
requests_total{worker="2",route="/v1/\\"x\\"",status="200"} 4
# HELP lag Seconds.
# TYPE lag gauge
lag{worker="1"} 0.5
lag{worker="2"} 0.25
# HELP late_total Only here.
# TYPE late_total counter
late_total{worker="2"} 1
`);
});
