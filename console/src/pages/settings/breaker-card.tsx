// The spend breaker over all of a person's keys: it lets calls through until so much was spent in a minute or an hour,
// and then none until the next one begins. An empty field takes the default.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BreakerAnswer, BreakerBody } from '../../../../gateway/src/contract/breaker.ts';
import { changeOwnBreaker, ownBreakerQuery } from '../../api/breaker.ts';
import { Card } from '../../ui/card.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { amountIn } from '../../ui/form-values.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { Switch } from '../../ui/switch.tsx';
import { useToast } from '../../ui/toast.tsx';
import { Threshold } from '../org/breakers/breaker-form.tsx';
import { LiveSpend } from '../org/breakers/live-spend.tsx';

export function BreakerCard() {
  const query = useQuery(ownBreakerQuery);
  return (
    <Card
      title="Spend breaker"
      description="Stops every call you make, with any key, once you spend faster than this. It lets calls through again when the minute or the hour is over."
    >
      <QueryView query={query}>{(breaker) => <BreakerForm breaker={breaker} />}</QueryView>
    </Card>
  );
}

function BreakerForm({ breaker }: Readonly<{ breaker: BreakerAnswer }>) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const { settings, resolvedSettings } = breaker;
  const [isOn, setOn] = useState(resolvedSettings.cbEnabled);
  const change = useMutation({
    mutationFn: (body: BreakerBody) => changeOwnBreaker(body),
    onSuccess: (answer) => {
      queryClient.setQueryData(ownBreakerQuery.queryKey, answer);
      toast(answer.resolvedSettings.cbEnabled ? 'The breaker is on.' : 'The breaker is off.');
    },
  });
  const read = (form: FormData): BreakerBody => ({
    cbEnabled: isOn,
    cbMinuteUsd: amountIn(form, 'cbMinuteUsd'),
    cbHourlyUsd: amountIn(form, 'cbHourlyUsd'),
  });
  return (
    <Form sending={change} read={read}>
      <Switch label="Watch my spending" isOn={isOn} onChange={setOn} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Threshold
          name="cbMinuteUsd"
          label="At most in a minute, USD"
          own={settings.cbMinuteUsd}
          placeholder={defaultOf(settings.cbMinuteUsd, resolvedSettings.cbMinuteUsd)}
        />
        <Threshold
          name="cbHourlyUsd"
          label="At most in an hour, USD"
          own={settings.cbHourlyUsd}
          placeholder={defaultOf(settings.cbHourlyUsd, resolvedSettings.cbHourlyUsd)}
        />
      </div>
      <LiveSpend breaker={breaker} />
      <FormError />
      <div>
        <SubmitButton>Save the breaker</SubmitButton>
      </div>
    </Form>
  );
}

const defaultOf = (own: number | null, used: number): string =>
  own === null ? `${used} (the default)` : 'the default';
