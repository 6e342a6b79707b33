// The emergency brake over the spending of everybody. Zero stops every call, so setting it is asked about first.

import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { BrakeBody } from '../../../../../gateway/src/contract/breaker.ts';
import { type Brake, brakeQuery, changeBrake } from '../../../api/operator/system.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { amountIn, amountText } from '../../org/form-values.ts';
import { useOperation } from '../use-operation.ts';

export function BrakePage() {
  const query = useQuery(brakeQuery);
  return (
    <Page
      title="Brake"
      description="Stops the calls of everybody once all of them together spend faster than this. They go on when the minute or the hour is over."
    >
      <Card>
        <QueryView query={query}>{(brake) => <BrakeForm brake={brake} />}</QueryView>
      </Card>
    </Page>
  );
}

function BrakeForm({ brake }: Readonly<{ brake: Brake }>) {
  const [isOn, setOn] = useState(brake.enabled);
  const [wish, setWish] = useState<BrakeBody | null>(null);
  const change = useOperation({
    run: changeBrake,
    touches: brakeQuery.queryKey,
    done: 'The brake is set.',
    onDone: () => setWish(null),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = { enabled: isOn, minuteUsd: amountIn(form, 'minute'), hourUsd: amountIn(form, 'hour') };
    if (isOn && (body.minuteUsd === 0 || body.hourUsd === 0)) setWish(body);
    else change.mutate(body);
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      {brake.enabled && (brake.minuteUsd === 0 || brake.hourUsd === 0) && (
        <Notice tone="warn">Every call of everybody is refused now.</Notice>
      )}
      <Switch label="The brake is on" isOn={isOn} onChange={setOn} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="At most in a minute, USD"
          name="minute"
          type="number"
          min={0}
          step="any"
          defaultValue={amountText(brake.minuteUsd)}
          hint="Empty: minutes are not watched. 0: stop everything."
        />
        <TextField
          label="At most in an hour, USD"
          name="hour"
          type="number"
          min={0}
          step="any"
          defaultValue={amountText(brake.hourUsd)}
          hint="Empty: hours are not watched. 0: stop everything."
        />
      </div>
      <ErrorNotice error={wish === null ? change.error : null} />
      <div>
        <Button kind="primary" type="submit" isBusy={change.isPending}>
          Set the brake
        </Button>
      </div>
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
    </form>
  );
}
