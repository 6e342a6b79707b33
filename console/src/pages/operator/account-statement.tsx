// The statement of a user or an organization as the operator sees it; a charge leads to its explanation.

import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { operatorStatement, type StatementWish } from '../../api/statement.ts';
import { ShortId } from '../../ui/short-id.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { StatementView } from '../statement/statement-view.tsx';

export function AccountStatement({ kind, id }: Readonly<{ kind: 'users' | 'orgs'; id: string }>) {
  const [wish, setWish] = useState<StatementWish>({});
  return (
    <section aria-label="Statement" className="grid gap-4">
      <h2 className="text-lg font-semibold">Statement</h2>
      <StatementView
        source={operatorStatement(kind, id)}
        wish={wish}
        onChange={(part) => setWish((before) => ({ ...before, ...part }))}
        linkOf={(generationId) => (
          <Link to="/operator/explain" search={{ id: generationId }} className={textLinkClass}>
            <ShortId id={generationId} />
          </Link>
        )}
      />
    </section>
  );
}
