// Connecting a vendor in three steps: which one and its key, which models, what will change. Only this page has the
// key, until it has been sent.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type ConnectedAnswer,
  type Connection,
  connectProvider,
  type DiscoveryAnswer,
  discoverModels,
  previewConnection,
  type VendorView,
  vendorsQuery,
} from '../../../api/operator/providers.ts';
import { OPERATOR_KEY } from '../../../api/operator/token.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FieldMistake } from '../../../ui/field-problem.ts';
import { Form, FormError, type Sending, SubmitButton } from '../../../ui/form.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { ChangeLines } from '../change-lines.tsx';
import { useMay } from '../role.tsx';
import { ModelChoice } from './model-choice.tsx';

export function Connect() {
  const mayConnect = useMay('owner');
  const query = useQuery({ ...vendorsQuery, enabled: mayConnect });
  return (
    <Page title="Connect a provider" description="Choose a vendor, paste its key, choose models, review, apply.">
      {mayConnect ? (
        <QueryView query={query}>{(vendors) => <ConnectSteps vendors={vendors} />}</QueryView>
      ) : (
        <Notice>Only an owner can connect a provider.</Notice>
      )}
    </Page>
  );
}

/** On a phone the next step appears below the visible part, so it is scrolled into view. */
const bringIntoView = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'start' });

function ConnectSteps({ vendors }: Readonly<{ vendors: readonly VendorView[] }>) {
  const [vendor, setVendor] = useState<VendorView | null>(null);
  const discovering = useMutation({ mutationFn: discoverModels });
  const chooseVendor = (chosen: VendorView): void => {
    setVendor(chosen);
    discovering.reset();
  };
  const { data: discovery, variables: connection } = discovering;
  return (
    <>
      <VendorPicker vendors={vendors} chosen={vendor} onChoose={chooseVendor} />
      {vendor !== null && <KeyForm key={vendor.name} vendor={vendor} discovering={discovering} />}
      {discovery !== undefined && discovery.refusal !== null && (
        <div key={discovering.submittedAt} ref={bringIntoView} className="scroll-mt-20">
          <ErrorNotice error={new Error(discovery.refusal.message)} />
        </div>
      )}
      {discovery !== undefined && discovery.refusal === null && connection !== undefined && (
        <div key={discovering.submittedAt} ref={bringIntoView} className="grid min-w-0 scroll-mt-20 gap-5">
          <ModelsAndReview discovery={discovery} connection={connection} />
        </div>
      )}
    </>
  );
}

type VendorPickerProps = Readonly<{
  vendors: readonly VendorView[];
  chosen: VendorView | null;
  onChoose: (vendor: VendorView) => void;
}>;

function VendorPicker({ vendors, chosen, onChoose }: VendorPickerProps) {
  const [search, setSearch] = useState('');
  const found = vendors.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(search.toLowerCase()));
  return (
    <Card title="1. The vendor">
      <div className="grid gap-3">
        <TextField label="Find a vendor" value={search} onChange={(event) => setSearch(event.target.value)} />
        <ul className="flex flex-wrap gap-2" aria-label="Vendors">
          {found.map((vendor) => (
            <li key={vendor.name}>
              <Button
                isSmall
                kind={vendor === chosen ? 'primary' : 'plain'}
                aria-pressed={vendor === chosen}
                onClick={() => onChoose(vendor)}
              >
                {vendor.title}
              </Button>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p className="text-sm text-quiet">No vendor of this name is known.</p>}
      </div>
    </Card>
  );
}

const isAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? '');

type KeyFormProps = Readonly<{ vendor: VendorView; discovering: Sending<Connection> }>;

function KeyForm({ vendor, discovering }: KeyFormProps) {
  const settings = Object.entries(vendor.settings);
  const read = (form: FormData): Connection => {
    const text = (name: string): string => textIn(form, name);
    if (text('baseUrl') !== '' && !isAddress(text('baseUrl'))) {
      throw new FieldMistake('baseUrl', 'An address begins with http:// or https://.');
    }
    const given = settings.map(([name]) => [name, text(`setting-${name}`)]).filter(([, value]) => value !== '');
    return {
      preset: vendor.name,
      ...(text('name') === '' ? {} : { name: text('name') }),
      ...(text('baseUrl') === '' ? {} : { baseUrl: text('baseUrl') }),
      ...(text('apiKey') === '' ? {} : { apiKey: text('apiKey') }),
      ...(given.length === 0 ? {} : { settings: Object.fromEntries(given) as Record<string, string> }),
    };
  };
  return (
    <Card title="2. Its key" description={<Quirks vendor={vendor} />}>
      <Form sending={discovering} read={read}>
        {vendor.keyVariable !== null && (
          <TextField
            label="API key"
            name="apiKey"
            type="password"
            autoComplete="off"
            required={vendor.isKeyNeeded}
            hint={
              vendor.isKeyNeeded
                ? 'Sealed in the database, and never shown again.'
                : 'Only where the server asks for one.'
            }
          />
        )}
        {settings.map(([name, words]) => (
          <TextField key={name} label={name} name={`setting-${name}`} hint={words} autoComplete="off" />
        ))}
        <details className="text-sm">
          <summary className="cursor-pointer text-quiet">Another address or name</summary>
          <div className="mt-3 grid gap-4">
            <TextField label="Base URL" name="baseUrl" placeholder={vendor.baseUrl ?? ''} autoComplete="off" />
            <TextField label="Name" name="name" placeholder={vendor.name} autoComplete="off" />
          </div>
        </details>
        <FormError />
        <div>
          <SubmitButton kind="primary">Test and list models</SubmitButton>
        </div>
      </Form>
    </Card>
  );
}

function Quirks({ vendor }: Readonly<{ vendor: VendorView }>) {
  return (
    <>
      {vendor.quirks.join(' ')}{' '}
      <a className="underline" href={vendor.documentation} target="_blank" rel="noreferrer">
        Documentation of {vendor.title}
      </a>
    </>
  );
}

type ReviewProps = Readonly<{ discovery: DiscoveryAnswer; connection: Connection }>;

const CHOSEN_AT_FIRST_MAX = 100;

function ModelsAndReview({ discovery, connection }: ReviewProps) {
  const useful = discovery.offers.filter(({ skip }) => skip === null);
  const priced = useful.filter(({ isPriced }) => isPriced).map(({ id }) => id);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    new Set(priced.length <= CHOSEN_AT_FIRST_MAX ? priced : []),
  );
  const previewing = useMutation({ mutationFn: previewConnection });
  const choose = (next: ReadonlySet<string>): void => {
    setChosen(next);
    previewing.reset();
  };
  const models = [...chosen];
  return (
    <>
      <Card
        title="3. The models"
        description={`The vendor accepts the key and offers ${useful.length} models that can be used.`}
      >
        <div className="grid gap-4">
          <ModelChoice offers={useful} chosen={chosen} onChoose={choose} />
          <div>
            <Button
              kind="primary"
              disabled={models.length === 0}
              isBusy={previewing.isPending}
              onClick={() => previewing.mutate({ connection, models })}
            >
              Test one and review
            </Button>
          </div>
          <ErrorNotice error={previewing.error} />
        </div>
      </Card>
      {previewing.data !== undefined && (
        <div ref={bringIntoView} className="min-w-0 scroll-mt-20">
          <Review preview={previewing.data} connection={connection} models={models} />
        </div>
      )}
    </>
  );
}

type ReviewCardProps = Readonly<{ preview: ConnectedAnswer; connection: Connection; models: readonly string[] }>;

function Review({ preview, connection, models }: ReviewCardProps) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const applying = useMutation({
    mutationFn: () => connectProvider({ connection, models, revision: preview.revision }),
    onSuccess: async (answer) => {
      await queryClient.invalidateQueries({ queryKey: [OPERATOR_KEY] });
      // The public catalog has changed with it.
      void queryClient.invalidateQueries({ queryKey: ['models'] });
      toast(`${answer.provider} is connected with ${answer.models.length} models.`);
      void navigate({ to: '/operator/providers' });
    },
  });
  const unpriced = preview.models.filter(({ isPriced }) => !isPriced);
  return (
    <Card title="4. What will change">
      <div className="grid gap-4">
        {preview.changes.length === 0 ? (
          <p className="text-sm text-quiet">Nothing.</p>
        ) : (
          <ChangeLines lines={preview.changes} />
        )}
        {unpriced.length > 0 && (
          <Notice tone="warn">
            Calls are refused until these have a price: {unpriced.map(({ id }) => id).join(', ')}.
          </Notice>
        )}
        <ErrorNotice error={applying.error} />
        <div>
          <Button kind="primary" isBusy={applying.isPending} onClick={() => applying.mutate()}>
            Apply
          </Button>
        </div>
      </div>
    </Card>
  );
}
