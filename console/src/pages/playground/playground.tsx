// Talk with up to three models side by side: the same question goes to all, and each answer is shown with its time and
// cost. Pictures and speech are shown and played here too.

import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { accountQuery } from '../../api/account.ts';
import { type Model, modelsQuery, purposeOf } from '../../api/models.ts';
import { sessionQuery } from '../../api/session.ts';
import type { Coming } from '../../page-route.ts';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Board } from './board.tsx';
import { isPlayable } from './call-body.ts';
import { firstOf } from './choose-models.ts';

export function ahead({ queryClient }: Coming): void {
  void queryClient.prefetchQuery(modelsQuery);
  void queryClient.prefetchQuery(accountQuery());
}

export function Playground() {
  const query = useQuery(modelsQuery);
  const account = useQuery(accountQuery());
  return (
    <Page title="Playground" description="Try models side by side. Calls are billed to your account like any other.">
      <QueryView query={query}>
        {(models) =>
          account.isPending ? (
            <Loading />
          ) : (
            <OwnBoard
              models={models.filter((model) => isPlayable(purposeOf(model)))}
              hasMoney={(account.data?.balance ?? 1) > 0}
            />
          )
        }
      </QueryView>
    </Page>
  );
}

function OwnBoard({ models, hasMoney }: Readonly<{ models: readonly Model[]; hasMoney: boolean }>) {
  const { model: asked } = useSearch({ from: '/member/playground' });
  const { data: session } = useQuery(sessionQuery);
  return <Board models={models} first={firstOf(models, asked, hasMoney)} userId={session?.user.id ?? ''} />;
}
