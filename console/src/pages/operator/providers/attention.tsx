// What an operator should know first: simulated answers, and prices that need a look.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { priceFindingsQuery, providersQuery } from '../../../api/operator/providers.ts';
import { Notice } from '../../../ui/notice.tsx';

const SHOWN_MAX = 5;

export function Attention() {
  const { data: providers = [] } = useQuery(providersQuery);
  const { data: findings = [] } = useQuery(priceFindingsQuery);
  const isSimulated = providers.length > 0 && providers.every((provider) => provider.isSimulated);
  return (
    <>
      {isSimulated && (
        <Notice tone="warn">
          Answers come from a simulator.{' '}
          <Link to="/operator/providers/connect" className="font-medium underline">
            Connect a provider
          </Link>{' '}
          to get real ones.
        </Notice>
      )}
      {findings.length > 0 && (
        <Notice tone="warn">
          <p className="font-medium">
            Prices that need a look{' '}
            <Link to="/operator/catalog" className="underline">
              in the catalog
            </Link>
          </p>
          <ul className="mt-1 grid gap-0.5">
            {findings.slice(0, SHOWN_MAX).map(({ model, message }) => (
              <li key={model}>
                {model}: {message}
              </li>
            ))}
            {findings.length > SHOWN_MAX && <li>and {findings.length - SHOWN_MAX} more</li>}
          </ul>
        </Notice>
      )}
    </>
  );
}
