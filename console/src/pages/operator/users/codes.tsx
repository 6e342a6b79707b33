// Codes that people redeem for credit. The codes of a batch are shown once, when it is made.

import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { type CodeBatch, codesKey, codesQuery, makeCodes, withdrawCodes } from '../../../api/operator/codes.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { formatCount, formatUsd } from '../../../ui/format.ts';
import { Moment } from '../../../ui/moment.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { PagedTable } from '../../../ui/paged-table.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { Cell } from '../../../ui/table.tsx';
import { Allowed } from '../role.tsx';
import { useOperation } from '../use-operation.ts';
import { newCodesOf } from './new-codes.ts';

export function Codes() {
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<readonly string[] | null>(null);
  return (
    <Page
      title="Codes"
      description="Each code gives credit once, to the first account that redeems it."
      actions={
        <Allowed least="owner">
          <Button kind="primary" onClick={() => setMaking(true)}>
            <Plus size={16} aria-hidden="true" /> New codes
          </Button>
        </Allowed>
      }
    >
      {made !== null && <MadeCodes codes={made} />}
      <BatchList />
      <NewCodesDialog isOpen={isMaking} onClose={() => setMaking(false)} onMade={setMade} />
    </Page>
  );
}

function MadeCodes({ codes }: Readonly<{ codes: readonly string[] }>) {
  const text = codes.join('\n');
  return (
    <Card
      title="The new codes"
      actions={<Button onClick={() => saveFile('tollgate-codes.txt', text)}>Save as a file</Button>}
    >
      <div className="grid gap-3">
        <Notice tone="warn">They are shown only once. When you leave the page, they cannot be shown again.</Notice>
        <div className="max-h-64 overflow-y-auto">
          <CodeBlock label="The new codes" code={text} />
        </div>
      </div>
    </Card>
  );
}

const COLUMNS = [
  { label: 'Made' },
  { label: 'Note' },
  { label: 'Worth each', isNumber: true },
  { label: 'Redeemed', isNumber: true },
  { label: 'State' },
  { label: 'Withdraw', isHidden: true },
];

function BatchList() {
  const list = useInfiniteQuery(codesQuery);
  return (
    <PagedTable
      list={list}
      label="Batches of codes"
      columns={COLUMNS}
      rowsOf={({ batches }) => batches}
      empty="There are none yet."
    >
      {(batch) => <BatchRow key={batch.id} batch={batch} />}
    </PagedTable>
  );
}

function BatchRow({ batch }: Readonly<{ batch: CodeBatch }>) {
  const { note, amountUsd, codes, redeemed, voided, expiresAt, createdAt } = batch;
  return (
    <tr>
      <Cell>
        <Moment at={createdAt} />
      </Cell>
      <Cell className="max-w-64 break-words">{note === '' ? '–' : note}</Cell>
      <Cell isNumber>{formatUsd(amountUsd)}</Cell>
      <Cell isNumber>{`${formatCount(redeemed)} of ${formatCount(codes)}`}</Cell>
      <Cell>
        {voided ? <Badge tone="warn">withdrawn</Badge> : <Badge tone="good">good</Badge>}
        {expiresAt !== null && (
          <p className="text-xs text-quiet">
            until <Moment at={expiresAt} />
          </p>
        )}
      </Cell>
      <Cell className="text-right">
        {!voided && redeemed < codes && (
          <Allowed least="support">
            <WithdrawButton batch={batch} />
          </Allowed>
        )}
      </Cell>
    </tr>
  );
}

function WithdrawButton({ batch: { id, codes, redeemed, amountUsd } }: Readonly<{ batch: CodeBatch }>) {
  const [isAsking, setAsking] = useState(false);
  const withdrawal = useOperation({
    run: () => withdrawCodes(id),
    touches: codesKey,
    done: 'The codes are withdrawn.',
    onDone: () => setAsking(false),
  });
  const left = codes - redeemed;
  return (
    <>
      <Button
        onClick={() => {
          withdrawal.reset();
          setAsking(true);
        }}
      >
        Withdraw
      </Button>
      <ConfirmDialog
        title="Withdraw the codes?"
        verb="Withdraw the codes"
        isOpen={isAsking}
        isBusy={withdrawal.isPending}
        error={withdrawal.error}
        onConfirm={() => withdrawal.mutate()}
        onClose={() => setAsking(false)}
      >
        {left === 1 ? 'The code that is left gives' : `The ${formatCount(left)} codes that are left give`} no credit any
        more: {formatUsd(amountUsd)} each. What was redeemed stays. This cannot be undone.
      </ConfirmDialog>
    </>
  );
}

type NewCodesDialogProps = Readonly<{
  isOpen: boolean;
  onClose: () => void;
  onMade: (codes: readonly string[]) => void;
}>;

function NewCodesDialog({ isOpen, onClose, onMade }: NewCodesDialogProps) {
  const making = useOperation({
    run: makeCodes,
    touches: codesKey,
    onDone: ({ codes }) => {
      onMade(codes);
      onClose();
    },
  });
  return (
    <FormDialog
      title="New codes"
      verb="Make the codes"
      isOpen={isOpen}
      sending={making}
      read={newCodesOf}
      onClose={onClose}
    >
      <TextField label="How many" name="count" type="number" min={1} max={1000} defaultValue="10" required />
      <TextField label="Worth each, USD" name="amountUsd" required placeholder="5.00" />
      <TextField label="Note" name="note" maxLength={500} hint="People who redeem a code read it." />
      <TextField label="Valid until" name="expiresAt" type="date" hint="Empty: without an end." />
    </FormDialog>
  );
}
