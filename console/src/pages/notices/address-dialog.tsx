// Adds an address or changes which notices it gets. The address itself cannot be changed: another one is added instead.

import { useState } from 'react';
import type { NewNoticeAddress, NoticeAddress, NoticesApi } from '../../api/notices.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useOperation } from '../operator/use-operation.ts';
import { CHANNELS, kindText } from './notice-words.ts';

type Channel = NoticeAddress['channel'];

type Where = Pick<NewNoticeAddress, 'channel' | 'target'>;
type Chosen = Pick<NewNoticeAddress, 'kinds' | 'lowBalanceUsd'>;
type AddressWish = Readonly<{ where: Where; chosen: Chosen }>;

type AddressDialogProps = Readonly<{
  api: NoticesApi;
  kinds: readonly string[];
  address: NoticeAddress | 'new' | null;
  /** The hint at the mail field; null where mails go to the person themselves. */
  mailHint: string | null;
  onCreated: (secret: string | null) => void;
  onClose: () => void;
}>;

export function AddressDialog({ api, kinds, address, mailHint, onCreated, onClose }: AddressDialogProps) {
  const known = address === 'new' ? null : address;
  const touches = api.query.queryKey;
  const saving = useOperation({
    run: async ({ where, chosen }: AddressWish): Promise<string | null> => {
      if (known === null) return (await api.create({ ...where, ...chosen })).secret;
      await api.change(known.id, chosen);
      return null;
    },
    touches,
    done: known === null ? 'The address is added.' : 'The address is changed.',
    onDone: onCreated,
  });
  return (
    <FormDialog
      title={known === null ? 'New address' : `Change ${known.shown}`}
      verb={known === null ? 'Add the address' : 'Save'}
      isOpen={address !== null}
      sending={saving}
      read={(form) => ({ where: whereIn(form), chosen: chosenIn(form) })}
      onClose={onClose}
    >
      {known === null && <WhereFields mailHint={mailHint} />}
      <KindFields kinds={kinds} address={known} />
    </FormDialog>
  );
}

function whereIn(form: FormData): Where {
  const target = String(form.get('target') ?? '').trim();
  return { channel: form.get('channel') as Channel, ...(target === '' ? {} : { target }) };
}

function chosenIn(form: FormData): Chosen {
  const amount = String(form.get('lowBalanceUsd') ?? '');
  return {
    kinds: form.getAll('kinds') as NewNoticeAddress['kinds'],
    lowBalanceUsd: amount === '' ? null : Number(amount),
  };
}

function WhereFields({ mailHint }: Readonly<{ mailHint: string | null }>) {
  const [channel, setChannel] = useState<Channel>('mail');
  return (
    <>
      <SelectField
        label="How"
        name="channel"
        value={channel}
        onChange={(event) => setChannel(event.target.value as Channel)}
      >
        {Object.entries(CHANNELS).map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
      {channel === 'mail' ? (
        mailHint !== null && <TextField label="Mail address" name="target" type="email" required hint={mailHint} />
      ) : (
        <TextField
          label="URL"
          name="target"
          type="url"
          required
          placeholder={channel === 'slack' ? 'https://hooks.slack.com/services/…' : 'https://example.com/tollgate'}
          hint={
            channel === 'slack'
              ? 'An incoming webhook of Slack, Mattermost or another chat that takes the same form.'
              : 'Calls are signed as the Standard Webhooks specification says. The secret is shown once, when the address is added.'
          }
        />
      )}
    </>
  );
}

function KindFields({ kinds, address }: Readonly<{ kinds: readonly string[]; address: NoticeAddress | null }>) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">When</legend>
      {kinds.map((kind) => (
        <label key={kind} className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            name="kinds"
            value={kind}
            defaultChecked={address?.kinds.includes(kind) ?? kind !== 'key.unused'}
          />
          {kindText(kind)}
        </label>
      ))}
      {kinds.includes('balance.low') && (
        <TextField
          label="Low balance, USD"
          name="lowBalanceUsd"
          type="number"
          min={0}
          step="any"
          defaultValue={address === null ? '5' : (address.lowBalanceUsd ?? '')}
        />
      )}
    </fieldset>
  );
}
