// The institution plan: keys that are given to students, who may use them and for how much, and the sessions that run.

import { Page } from '../../../ui/page.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { ConfigCard } from './config-card.tsx';
import { KeysCard } from './keys-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

export function Institution() {
  return (
    <Page
      title="Institution"
      description={
        <>
          Students need no account: with a key of yours and an address at your school they get a session at{' '}
          <a href="/edu" className={textLinkClass}>
            {location.host}/edu
          </a>
          .
        </>
      }
    >
      <KeysCard />
      <ConfigCard />
      <SessionsCard />
    </Page>
  );
}
