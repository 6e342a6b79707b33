// Choosing an amount and a currency. The price with all its parts is shown before anything is ordered; paying happens
// at the payment provider.

import { useMutation, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { TopUpBody } from '../../../../gateway/src/contract/payments.ts';
import { createTopUp, quoteQuery, type TopUp, type TopUpOptions } from '../../api/top-ups.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { useCameBack } from '../../ui/use-came-back.ts';
import { Quote } from './quote.tsx';

const AMOUNTS = ['10', '25', '50', '100'];

type TopUpFormProps = Readonly<{ offer: TopUpOptions; orgId: string | undefined }>;

export function TopUpForm({ offer, orgId }: TopUpFormProps) {
  const [amountUsd, setAmount] = useState('25');
  const [channel, setChannel] = useState(offer.channels[0]?.channel ?? 'usd');
  const [provider, setProvider] = useState(offer.providers[0] ?? '');
  const wish = useDeferredValue({ orgId, amountUsd, channel });
  const amount = Number(wish.amountUsd);
  const isInRange = amount >= offer.amountUsdMin && amount <= offer.amountUsdMax;
  const quote = useQuery({ ...quoteQuery(wish), enabled: isInRange });
  const order = useMutation({
    mutationFn: (body: TopUpBody) => createTopUp(body, orgId),
    onSuccess: ({ checkoutUrl }: TopUp) => {
      if (checkoutUrl !== null) location.assign(checkoutUrl);
    },
  });
  useCameBack(order.reset);
  // A price of another amount may still be shown, and nothing is ordered at a price that was not.
  const isPriced = isInRange && quote.data !== undefined && !quote.isPlaceholderData && wish.amountUsd === amountUsd;
  return (
    <Form
      sending={order}
      read={() => ({ amountUsd, channel, provider })}
      className="grid items-start gap-6 md:grid-cols-2"
    >
      <div className="grid gap-4">
        <AmountField offer={offer} value={amountUsd} onChange={setAmount} />
        <Options
          label="Pay in"
          options={offer.channels.map((entry) => entry.channel)}
          value={channel}
          onChange={setChannel}
          isUpperCase
        />
        {offer.providers.length > 1 && (
          <Options label="Pay through" options={offer.providers} value={provider} onChange={setProvider} />
        )}
      </div>
      <div className="grid gap-4">
        <Quote query={quote} offer={offer} isInRange={isInRange} />
        <FormError />
        <SubmitButton kind="primary" disabled={!isPriced || order.isSuccess}>
          Go to the payment
        </SubmitButton>
      </div>
    </Form>
  );
}

type AmountFieldProps = Readonly<{ offer: TopUpOptions; value: string; onChange: (value: string) => void }>;

function AmountField({ offer, value, onChange }: AmountFieldProps) {
  return (
    <div className="grid gap-2">
      <TextField
        label="Credit, USD"
        name="amountUsd"
        type="number"
        required
        min={offer.amountUsdMin}
        max={offer.amountUsdMax}
        step={0.01}
        value={value}
        hint={`From $${offer.amountUsdMin} to $${offer.amountUsdMax.toLocaleString('en-US')}.`}
        onChange={(event) => onChange(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        {AMOUNTS.map((amount) => (
          <Button
            key={amount}
            isSmall
            aria-pressed={amount === value}
            className="aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
            onClick={() => onChange(amount)}
          >
            ${amount}
          </Button>
        ))}
      </div>
    </div>
  );
}

type OptionsProps = Readonly<{
  label: string;
  options: readonly string[];
  value: string;
  onChange: (value: string) => void;
  isUpperCase?: boolean;
}>;

function Options({ label, options, value, onChange, isUpperCase = false }: OptionsProps) {
  return (
    <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {options.map((option) => (
        <option key={option} value={option}>
          {isUpperCase ? option.toUpperCase() : option}
        </option>
      ))}
    </SelectField>
  );
}
