// The catalog: its models with their prices, and the whole config document behind them. Every change is shown as a
// difference before it counts.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ConfigDocument, configQuery } from '../../../api/operator/config.ts';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { DocumentEditor } from './document-editor.tsx';
import { ModelTable } from './model-table.tsx';
import { ReviewDialog } from './review-dialog.tsx';
import { Revisions } from './revisions.tsx';

export function Catalog() {
  const query = useQuery({ ...configQuery, staleTime: 0, refetchOnWindowFocus: false });
  return (
    <Page title="Catalog" description="Models, prices and providers. A change counts from the next call on.">
      <QueryView query={query}>{(live) => <CatalogView live={live} />}</QueryView>
    </Page>
  );
}

function CatalogView({ live }: Readonly<{ live: ConfigDocument }>) {
  const [edited, setEdited] = useState<unknown>(null);
  // What was typed is forgotten once it is applied, and not before.
  const [appliedCount, setAppliedCount] = useState(0);
  return (
    <>
      <Tabs
        label="Catalog"
        tabs={[
          { id: 'models', label: 'Models', content: <ModelTable live={live} onReview={setEdited} /> },
          {
            id: 'document',
            label: 'Whole document',
            content: <DocumentEditor key={appliedCount} live={live} onReview={setEdited} />,
          },
          { id: 'revisions', label: 'Revisions', content: <Revisions /> },
        ]}
      />
      <ReviewDialog
        live={live}
        edited={edited}
        onClose={() => setEdited(null)}
        onApplied={() => setAppliedCount(appliedCount + 1)}
      />
    </>
  );
}
