// The keys of a provider for the operator: set, replaced, weighed and taken away one at a time.

import type { AppliedConfig } from '../../contract/config-revisions.ts';
import { ProviderKeyBody } from '../../contract/providers.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import { type KeyPlace, removeProviderKey, setProviderKey } from '../../pipeline/providers/provider-keys.ts';
import { bodyReader } from '../read-body.ts';
import { appliedConfig, readChangeOptions, refusingProblems } from './config-change.ts';
import { connectServices, type ProviderServices } from './providers.ts';

const readKeyBody = bodyReader(ProviderKeyBody);

const placeIn = ({ params }: Exchange): KeyPlace => ({ provider: params.name ?? '', key: params.key ?? '' });

export const setKeyEndpoint =
  (services: ProviderServices): Handler =>
  async (exchange) => {
    const { note = null, author, ...setting } = await readKeyBody(exchange);
    const options = { note, ...(author === undefined ? {} : { author }) };
    const change = await refusingProblems(() =>
      setProviderKey(placeIn(exchange), setting, connectServices(services), options),
    );
    sendJson(exchange, 200, appliedConfig(change) satisfies AppliedConfig);
  };

export const removeKeyEndpoint =
  (services: ProviderServices): Handler =>
  async (exchange) => {
    const options = readChangeOptions(new URLSearchParams(exchange.queryText));
    const change = await refusingProblems(() =>
      removeProviderKey(placeIn(exchange), connectServices(services), options),
    );
    sendJson(exchange, 200, appliedConfig(change) satisfies AppliedConfig);
  };
