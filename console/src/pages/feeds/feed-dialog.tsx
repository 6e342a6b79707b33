// Adds a feed. Its address cannot be changed: another feed is added instead.

import { useState } from 'react';
import type { Feed, FeedsApi, NewFeed } from '../../api/feeds.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useOperation } from '../operator/use-operation.ts';
import { FORMS } from './feed-words.ts';

type Form = Feed['form'];

type FeedDialogProps = Readonly<{
  api: FeedsApi;
  forms: readonly Form[];
  isOpen: boolean;
  onCreated: (secret: string | null) => void;
  onClose: () => void;
}>;

export function FeedDialog({ api, forms, isOpen, onCreated, onClose }: FeedDialogProps) {
  const [form, setForm] = useState<Form>('otlp');
  const saving = useOperation({
    run: async (wish: NewFeed): Promise<string | null> => (await api.create(wish)).secret,
    touches: api.query.queryKey,
    done: 'The feed is added.',
    onDone: onCreated,
  });
  return (
    <FormDialog
      title="New feed"
      verb="Add the feed"
      isOpen={isOpen}
      sending={saving}
      read={(data) => wishOf(form, data)}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={100} />
      <SelectField label="Goes to" name="form" value={form} onChange={(event) => setForm(event.target.value as Form)}>
        {forms.map((id) => (
          <option key={id} value={id}>
            {FORMS[id]}
          </option>
        ))}
      </SelectField>
      <PlaceFields form={form} />
    </FormDialog>
  );
}

function PlaceFields({ form }: Readonly<{ form: Form }>) {
  if (form === 'file')
    return <TextField label="Keep, days" name="keepDays" type="number" min={1} max={3650} defaultValue="30" required />;
  if (form === 's3') return <BucketFields />;
  return (
    <>
      <TextField
        label="URL"
        name="url"
        type="url"
        required
        placeholder={form === 'otlp' ? 'https://collector.example' : 'https://example.com/calls'}
        hint={
          form === 'otlp'
            ? 'Without /v1/traces. What is sent is OTLP over HTTP, as JSON.'
            : 'Lines of JSON, signed as the Standard Webhooks specification says. The secret is shown once.'
        }
      />
      <TextField label="Header" name="headerName" maxLength={100} placeholder="authorization" />
      <TextField label="Value of the header" name="headerValue" type="password" autoComplete="off" maxLength={2048} />
      {form === 'otlp' && <SignalFields />}
    </>
  );
}

const BucketFields = () => (
  <>
    <TextField label="Bucket" name="bucket" required />
    <TextField label="Region" name="region" required placeholder="eu-central-1" />
    <TextField label="Folder" name="prefix" placeholder="calls/" hint="Ends with a slash. Empty: none." />
    <TextField label="Endpoint" name="url" type="url" placeholder="https://s3.eu-central-1.amazonaws.com" />
    <TextField label="Access key id" name="accessKeyId" required autoComplete="off" />
    <TextField label="Secret access key" name="secretAccessKey" type="password" required autoComplete="off" />
  </>
);

const SIGNALS = { traces: 'A span for each call', metrics: 'Histograms of tokens and times' } as const;

const SignalFields = () => (
  <fieldset className="grid gap-2">
    <legend className="mb-1 text-sm font-medium">Sends</legend>
    {Object.entries(SIGNALS).map(([id, label]) => (
      <label key={id} className="flex items-center gap-2 text-sm">
        <input type="checkbox" name="signals" value={id} defaultChecked={id === 'traces'} />
        {label}
      </label>
    ))}
  </fieldset>
);

function wishOf(form: Form, data: FormData): NewFeed {
  const text = (name: string): string => String(data.get(name) ?? '').trim();
  const given = (name: string): Readonly<Record<string, string>> => (text(name) === '' ? {} : { [name]: text(name) });
  const name = text('name');
  if (form === 'file') return { name, form, keepDays: Number(text('keepDays')) };
  if (form === 's3') {
    const places = ['url', 'bucket', 'region', 'prefix', 'accessKeyId', 'secretAccessKey'];
    return { name, form, ...Object.assign({}, ...places.map(given)) };
  }
  const header = text('headerName');
  return {
    ...{ name, form },
    ...given('url'),
    ...(header === '' ? {} : { headers: [{ name: header, value: text('headerValue') }] }),
    ...(form === 'otlp' ? { signals: data.getAll('signals') as NonNullable<NewFeed['signals']> } : {}),
  };
}
