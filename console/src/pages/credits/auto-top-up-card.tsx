// Buying credit when the balance runs low: when, how much, how much in a month at most, and with which card. The card
// is entered at the payment provider; only its last digits are known here.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AutomaticTopUpBody } from '../../../../gateway/src/contract/payments.ts';
import { type AutomaticTopUp, autoTopUpQuery, forgetCard, openCardPage, saveAutoTopUp } from '../../api/auto-top-up.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { textIn } from '../../ui/form-values.ts';
import { formatUsd } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Switch } from '../../ui/switch.tsx';
import { useCameBack } from '../../ui/use-came-back.ts';

type CardProps = Readonly<{ orgId: string | undefined; isAwaited: boolean }>;

export function AutoTopUpCard({ orgId, isAwaited }: CardProps) {
  const query = useQuery(autoTopUpQuery(orgId, isAwaited));
  if (query.data?.isOffered === false) return null;
  return (
    <Card title="Automatic top-up" description="Buys credit with a saved card when the balance runs low.">
      <QueryView query={query}>{(found) => <Settings found={found} orgId={orgId} isAwaited={isAwaited} />}</QueryView>
    </Card>
  );
}

function Settings({ found, orgId, isAwaited }: CardProps & Readonly<{ found: AutomaticTopUp }>) {
  const queryClient = useQueryClient();
  const { settings, stopped } = found;
  const [isEnabled, setEnabled] = useState(settings?.isEnabled ?? false);
  const keep = (answer: AutomaticTopUp): void => {
    queryClient.setQueryData(autoTopUpQuery(orgId).queryKey, answer);
    setEnabled(answer.settings?.isEnabled ?? false);
  };
  const saving = useMutation({
    mutationFn: (body: AutomaticTopUpBody) => saveAutoTopUp(body, orgId),
    onSuccess: keep,
  });
  const read = (form: FormData): AutomaticTopUpBody => ({
    isEnabled,
    thresholdUsd: textIn(form, 'thresholdUsd'),
    amountUsd: textIn(form, 'amountUsd'),
    monthMaxUsd: textIn(form, 'monthMaxUsd'),
  });
  return (
    <div className="grid gap-5">
      {stopped !== null && (
        <Notice tone="warn">It has stopped: {stopped.reason}. Switch it on and save to continue.</Notice>
      )}
      {settings?.isEnabled === true && found.monthUsd + settings.amountUsd > settings.monthMaxUsd && (
        <Notice tone="warn">
          {formatUsd(found.monthUsd)} were bought automatically this month, and another {formatUsd(settings.amountUsd)}{' '}
          would be more than the month allows. Nothing is bought before the next month unless you raise the amount.
        </Notice>
      )}
      <Form sending={saving} read={read}>
        <div className="grid gap-4 sm:grid-cols-3">
          <Amount
            label="When the balance is below, USD"
            name="thresholdUsd"
            value={settings?.thresholdUsd ?? 10}
            min={0.01}
          />
          <Amount label="Amount to buy, USD" name="amountUsd" value={settings?.amountUsd ?? 25} min={5} />
          <Amount label="At most in a month, USD" name="monthMaxUsd" value={settings?.monthMaxUsd ?? 100} min={5} />
        </div>
        <Switch label="Buy automatically" isOn={isEnabled} onChange={setEnabled} />
        <FormError />
        <div className="flex flex-wrap items-center gap-3">
          <SubmitButton>Save</SubmitButton>
          {saving.isSuccess && <p className="text-sm text-quiet">Saved.</p>}
        </div>
      </Form>
      {settings !== null && <SavedCard found={found} orgId={orgId} isAwaited={isAwaited} onChange={keep} />}
    </div>
  );
}

type AmountProps = Readonly<{ label: string; name: string; value: number; min: number }>;

const Amount = ({ label, name, value, min }: AmountProps) => (
  <TextField label={label} name={name} type="number" required min={min} step={0.01} defaultValue={value} />
);

type SavedCardProps = CardProps & Readonly<{ found: AutomaticTopUp; onChange: (answer: AutomaticTopUp) => void }>;

function SavedCard({ found: { card, settings, monthUsd }, orgId, isAwaited, onChange }: SavedCardProps) {
  const page = useMutation({
    mutationFn: () => openCardPage(orgId),
    onSuccess: ({ url }) => location.assign(url),
  });
  useCameBack(page.reset);
  const forgetting = useMutation({ mutationFn: () => forgetCard(orgId), onSuccess: onChange });
  return (
    <div className="grid gap-3 border-t border-line pt-4 text-sm">
      {card === null ? (
        <p>{isAwaited ? 'Waiting for the confirmation of your card.' : 'Nothing is bought until you add a card.'}</p>
      ) : (
        <p>
          <strong className="font-medium">{card}</strong> is charged {formatUsd(settings?.totalUsd ?? 0)} each time, fee
          included. {formatUsd(monthUsd)} of credit were bought automatically this month.
        </p>
      )}
      <div className="flex flex-wrap gap-3">
        <Button isBusy={page.isPending || page.isSuccess} onClick={() => page.mutate()}>
          {card === null ? 'Add a card' : 'Use another card'}
        </Button>
        {card !== null && (
          <Button isBusy={forgetting.isPending} onClick={() => forgetting.mutate()}>
            Remove the card
          </Button>
        )}
      </div>
      <ErrorNotice error={page.error ?? forgetting.error} />
    </div>
  );
}
