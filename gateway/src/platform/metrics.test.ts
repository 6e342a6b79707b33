// The page that a scraper reads.

import { expect, test } from 'vitest';
import { createMetrics } from './metrics.ts';

test('metrics are rendered in the text format, buckets cumulative, labels escaped', async () => {
  const metrics = createMetrics();
  metrics.requestFinished('/v1/models/:slug', 200, 2);
  metrics.requestFinished('/v1/models/:slug', 200, 20);
  metrics.requestFinished('/v1/models/:slug', 404, 900_000);
  metrics.upstreamAttempt('a"b\\c', 'failed');
  metrics.settlement('settled', 3);
  metrics.batchCommitted(3);
  const lines = new Set((await metrics.render()).split('\n'));
  for (const line of [
    '# TYPE tollgate_http_requests_total counter',
    'tollgate_http_requests_total{route="/v1/models/:slug",status="200"} 2',
    'tollgate_http_requests_total{route="/v1/models/:slug",status="404"} 1',
    'tollgate_http_request_duration_seconds_bucket{route="/v1/models/:slug",le="0.001"} 0',
    'tollgate_http_request_duration_seconds_bucket{route="/v1/models/:slug",le="0.0025"} 1',
    'tollgate_http_request_duration_seconds_bucket{route="/v1/models/:slug",le="300"} 2',
    'tollgate_http_request_duration_seconds_bucket{route="/v1/models/:slug",le="+Inf"} 3',
    'tollgate_http_request_duration_seconds_sum{route="/v1/models/:slug"} 900.022',
    'tollgate_http_request_duration_seconds_count{route="/v1/models/:slug"} 3',
    'tollgate_upstream_attempts_total{provider="a\\"b\\\\c",outcome="failed"} 1',
    'tollgate_settlements_total{outcome="settled"} 3',
    'tollgate_settlement_batch_size_bucket{le="5"} 1',
  ]) {
    expect(lines, line).toContain(line);
  }
});
