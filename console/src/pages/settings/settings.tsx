// A person's own settings: name, password, second factor, where they are signed in, and the breaker over all their
// keys.

import { sessionsQuery } from '../../api/auth.ts';
import { ownBreakerQuery } from '../../api/breaker.ts';
import { factorsQuery } from '../../api/factors.ts';
import type { Coming } from '../../page-route.ts';
import { Page } from '../../ui/page.tsx';
import { BreakerCard } from './breaker-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { SecondFactorCard } from './second-factor-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

export function ahead({ queryClient }: Coming): void {
  void queryClient.prefetchQuery(factorsQuery);
  void queryClient.prefetchQuery(ownBreakerQuery);
  void queryClient.prefetchQuery(sessionsQuery);
}

export function Settings() {
  return (
    <Page
      title="Settings"
      description="Your name, your password, your devices, and a limit on how fast money can be spent."
    >
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <ProfileCard />
        <PasswordCard />
      </div>
      <SecondFactorCard />
      <BreakerCard />
      <SessionsCard />
    </Page>
  );
}
