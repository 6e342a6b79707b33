// GET /admin/v1/health/history: the last day of one route, for all processes together.

import type { RouteHistoryAnswer } from '../../contract/health.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import { HISTORY_BUCKET_MS, type RouteHistory } from '../../modules/routing/history.ts';

export const readRouteHistory =
  ({ routeHistory }: Readonly<{ routeHistory: RouteHistory }>): Handler =>
  async (exchange) => {
    const query = new URLSearchParams(exchange.queryText);
    const [provider, upstreamModel] = [query.get('provider') ?? '', query.get('upstream_model') ?? ''];
    if (provider === '' || upstreamModel === '') {
      throw new ApiError('http_400', 'provider and upstream_model: both are needed to name a route.');
    }
    const [points = []] = await routeHistory.read([{ providerName: provider, upstreamModel }], HISTORY_BUCKET_MS);
    sendJson(exchange, 200, {
      provider,
      upstreamModel,
      spanSeconds: HISTORY_BUCKET_MS / 1_000,
      points: points.map(({ atMs, latencyMs, tokensPerSecond, calls, failures }) => ({
        at: new Date(atMs).toISOString(),
        ...{ calls, failures },
        latencyMs: rounded(latencyMs),
        tokensPerSecond: rounded(tokensPerSecond),
      })),
    } satisfies RouteHistoryAnswer);
  };

const rounded = (figure: number | null): number | null => (figure === null ? null : Number(figure.toFixed(1)));
