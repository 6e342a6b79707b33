// The keys of a provider for the operator: set, replaced, weighed and removed one at a time.

import type { AppliedConfig } from '../../contract/config-revisions.ts';
import { ProviderKeyBody } from '../../contract/providers.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import { type KeyPlace, removeProviderKey, setProviderKey } from '../../pipeline/providers/provider-keys.ts';
import type { OperatorHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { appliedConfig, authorOf, readChangeOptions, refusingProblems } from './config-change.ts';
import { connectServices, type ProviderServices } from './providers.ts';

const readKeyBody = bodyReader(ProviderKeyBody);

const placeIn = ({ params }: Exchange): KeyPlace => ({ provider: params.name ?? '', key: params.key ?? '' });

export const setKeyEndpoint =
  (services: ProviderServices): OperatorHandler =>
  async (exchange, operator) => {
    const { note = null, author, ...setting } = await readKeyBody(exchange);
    const options = { note, ...authorOf(operator, author) };
    const change = await refusingProblems(() =>
      setProviderKey(placeIn(exchange), setting, connectServices(services), options),
    );
    sendJson(exchange, 200, appliedConfig(change) satisfies AppliedConfig);
  };

export const removeKeyEndpoint =
  (services: ProviderServices): OperatorHandler =>
  async (exchange, operator) => {
    const options = readChangeOptions(new URLSearchParams(exchange.queryText), operator);
    const change = await refusingProblems(() =>
      removeProviderKey(placeIn(exchange), connectServices(services), options),
    );
    sendJson(exchange, 200, appliedConfig(change) satisfies AppliedConfig);
  };
