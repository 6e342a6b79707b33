// The catalog: models with their prices, providers, rules, settings, and the whole config document behind them. Every
// change is shown as a difference before it counts, and one that is not applied is kept until it is dropped.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ConfigDocument, configQuery } from '../../../api/operator/config.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { DocumentEditor } from './document-editor.tsx';
import { keepDraft, useDraft } from './draft.ts';
import { EntryTable } from './forms/entry-table.tsx';
import { SettingsForm } from './forms/settings-form.tsx';
import { ModelTable } from './model-table.tsx';
import { ReviewDialog } from './review-dialog.tsx';
import { Revisions } from './revisions.tsx';
import { withTypedDocument } from './typed-prices.ts';

export function Catalog() {
  const query = useQuery({ ...configQuery, staleTime: 0, refetchOnWindowFocus: false });
  return (
    <Page title="Catalog" description="Models, prices and providers. A change counts from the next call on.">
      <QueryView query={query}>{(live) => <CatalogView live={live} />}</QueryView>
    </Page>
  );
}

function CatalogView({ live }: Readonly<{ live: ConfigDocument }>) {
  const draft = useDraft();
  const [isReviewed, setReviewed] = useState(false);
  const document = draft?.document ?? live;
  const base = draft?.base ?? live;
  const edit = (changed: ConfigDocument): void => {
    keepDraft({ base, document: changed, text: null });
    setReviewed(true);
  };
  const form = { document, onEdit: edit };
  return (
    <>
      {draft !== null && <DraftNotice onReview={() => setReviewed(true)} />}
      <Tabs
        label="Catalog"
        tabs={[
          { id: 'models', label: 'Models', content: <ModelTable {...form} /> },
          { id: 'providers', label: 'Providers', content: <EntryTable section="providers" {...form} /> },
          { id: 'routes', label: 'Routes', content: <EntryTable section="routes" {...form} /> },
          { id: 'markups', label: 'Markups', content: <EntryTable section="markups" {...form} /> },
          { id: 'guards', label: 'Guards', content: <EntryTable section="guards" {...form} /> },
          { id: 'settings', label: 'Settings', content: <SettingsForm {...form} /> },
          {
            id: 'document',
            label: 'Whole document',
            content: <DocumentEditor live={live} onReview={() => setReviewed(true)} />,
          },
          { id: 'revisions', label: 'Revisions', content: <Revisions /> },
        ]}
      />
      <ReviewDialog
        live={base}
        edited={isReviewed && draft !== null ? withTypedDocument(base, draft.document) : null}
        onClose={() => setReviewed(false)}
        onApplied={() => keepDraft(null)}
      />
    </>
  );
}

const DraftNotice = ({ onReview }: Readonly<{ onReview: () => void }>) => (
  <Notice>
    <div className="flex flex-wrap items-center gap-3">
      <p>There are changes that are not applied yet.</p>
      <Button isSmall onClick={onReview}>
        Review them
      </Button>
      <Button isSmall onClick={() => keepDraft(null)}>
        Discard them
      </Button>
    </div>
  </Notice>
);
