// The emergency brake over everybody's spending. Zero stops every call, so setting it asks first.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { BrakeBody } from '../../../../../gateway/src/contract/breaker.ts';
import { type Brake, brakeQuery, changeBrake } from '../../../api/operator/system.ts';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../../ui/form.tsx';
import { amountIn, amountText } from '../../../ui/form-values.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Allowed, useMay } from '../role.tsx';
import { useOperation } from '../use-operation.ts';

export function BrakePage() {
  const query = useQuery(brakeQuery);
  return (
    <Page
      title="Brake"
      description="Stops all calls when all accounts together spend more than this. Calls work again when the minute or the hour is over."
    >
      <Card>
        <QueryView query={query}>{(brake) => <BrakeForm brake={brake} />}</QueryView>
      </Card>
    </Page>
  );
}

function BrakeForm({ brake }: Readonly<{ brake: Brake }>) {
  const [isOn, setOn] = useState(brake.enabled);
  const mayChange = useMay('owner');
  const [wish, setWish] = useState<BrakeBody | null>(null);
  const change = useOperation({
    run: changeBrake,
    touches: brakeQuery.queryKey,
    done: 'The brake is set.',
    onDone: () => setWish(null),
  });
  const sending = {
    isPending: change.isPending,
    error: wish === null ? change.error : null,
    mutateAsync: async (body: BrakeBody): Promise<unknown> =>
      isOn && (body.minuteUsd === 0 || body.hourUsd === 0) ? setWish(body) : change.mutateAsync(body),
  };
  const read = (form: FormData): BrakeBody => ({
    enabled: isOn,
    minuteUsd: amountIn(form, 'minuteUsd'),
    hourUsd: amountIn(form, 'hourUsd'),
  });
  return (
    <>
      <Form sending={sending} read={read}>
        {brake.enabled && (brake.minuteUsd === 0 || brake.hourUsd === 0) && (
          <Notice tone="warn">Every call of everybody is refused now.</Notice>
        )}
        <Switch label="The brake is on" isOn={isOn} isDisabled={!mayChange} onChange={setOn} />
        <fieldset disabled={!mayChange} className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="At most in a minute, USD"
            name="minuteUsd"
            type="number"
            min={0}
            step="any"
            defaultValue={amountText(brake.minuteUsd)}
            hint="Empty: minutes are not watched. 0: stop everything."
          />
          <TextField
            label="At most in an hour, USD"
            name="hourUsd"
            type="number"
            min={0}
            step="any"
            defaultValue={amountText(brake.hourUsd)}
            hint="Empty: hours are not watched. 0: stop everything."
          />
        </fieldset>
        <FormError />
        <Allowed least="owner">
          <div>
            <SubmitButton kind="primary">Set the brake</SubmitButton>
          </div>
        </Allowed>
      </Form>
      <ConfirmDialog
        title="Stop every call?"
        verb="Stop every call"
        isOpen={wish !== null}
        isBusy={change.isPending}
        error={change.error}
        onConfirm={() => wish !== null && change.mutate(wish)}
        onClose={() => setWish(null)}
      >
        With zero, the calls of everybody are refused from now on, until you set another value.
      </ConfirmDialog>
    </>
  );
}
