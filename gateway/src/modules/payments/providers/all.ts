// The configured payment providers, in the order in which they are offered. A new one is a file beside this, a row
// here, and its settings in the configuration.

import type { Clock } from '../../../platform/clock.ts';
import type { PaymentProvider } from '../provider.ts';
import { createStripeProvider, type StripeSettings } from './stripe.ts';

type ProviderSettings = Readonly<{ stripe: StripeSettings | null }>;

export async function createProviders(settings: ProviderSettings, clock: Clock): Promise<readonly PaymentProvider[]> {
  const providers: PaymentProvider[] = [];
  if (settings.stripe !== null) providers.push(await createStripeProvider(settings.stripe, clock));
  return providers;
}
