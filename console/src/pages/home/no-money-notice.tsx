// What to do without money: buy credit, ask for it, or call a free model. Nothing while there is a balance.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { accountQuery } from '../../api/account.ts';
import { isFree, makesText, modelsQuery } from '../../api/models.ts';
import { siteQuery } from '../../api/site.ts';
import { ContactLink } from '../../ui/contact-link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { textLinkClass } from '../../ui/text-link.ts';

export function NoMoneyNotice() {
  const account = useQuery(accountQuery());
  const site = useQuery(siteQuery);
  const models = useQuery(modelsQuery);
  if (account.data === undefined || site.data === undefined || account.data.balance > 0) return null;
  const free = models.data?.find((model) => makesText(model) && isFree(model));
  const { contact, topUps } = site.data;
  return (
    <Notice tone="warn">
      <p className="font-medium">Your balance is empty, so calls that cost something are refused.</p>
      <p className="mt-1 flex flex-wrap gap-x-4 gap-y-1">
        {topUps && (
          <Link to="/credits" search={{}} className={textLinkClass}>
            Buy credit
          </Link>
        )}
        {!topUps && contact !== null && (
          <span>
            Ask for credit: <ContactLink contact={contact} />
          </span>
        )}
        {!topUps && contact === null && 'Ask the operator of this gateway for credit.'}
        <Link to="/credits" search={{}} className={textLinkClass}>
          Redeem a code
        </Link>
        {free !== undefined && (
          <Link to="/playground" search={{ model: free.id }} className={textLinkClass}>
            Try {free.name}, which is free
          </Link>
        )}
      </p>
    </Notice>
  );
}
