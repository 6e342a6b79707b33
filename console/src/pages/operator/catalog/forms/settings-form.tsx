// The settings of the config document besides its entries: limits, moderation, accounts, timeouts of providers.

import { useEffect, useState } from 'react';
import { ConfigDocument as documentSchema } from '../../../../../../gateway/src/contract/config.ts';
import type { ConfigDocument } from '../../../../api/operator/config.ts';
import { Card } from '../../../../ui/card.tsx';
import { Form, SubmitButton } from '../../../../ui/form.tsx';
import { handedTo } from '../../../../ui/handed-to.ts';
import { useMay } from '../../role.tsx';
import { useDraft } from '../draft.ts';
import { type Schema, type Values, withValue } from './schema.ts';
import { SchemaFields } from './schema-fields.tsx';

/** Sections with pages of their own. */
const ELSEWHERE = ['providers', 'models', 'routes', 'markups', 'auto', 'guards'];

type SettingsFormProps = Readonly<{ document: ConfigDocument; onEdit: (document: ConfigDocument) => void }>;

export function SettingsForm({ document, onEdit }: SettingsFormProps) {
  const [values, setValues] = useState(document as Values);
  const hasDraft = useDraft() !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was discarded or applied is shown as it is now; what is typed stays when the document is read again.
  useEffect(() => {
    if (!hasDraft) setValues(document as Values);
  }, [hasDraft]);
  const { properties = {}, ...whole } = documentSchema as unknown as Schema;
  const shown = Object.entries(properties).filter(([key]) => !ELSEWHERE.includes(key));
  // What may not be changed is read, and not typed over.
  const mayChange = useMay('owner');
  return (
    <Card title="Settings" description="A field that is left empty has its default.">
      <Form
        sending={handedTo(onEdit)}
        read={() =>
          withSettings(
            document,
            values,
            shown.map(([key]) => key),
          )
        }
      >
        <fieldset disabled={!mayChange} className="contents">
          <SchemaFields
            schema={{ ...whole, properties: Object.fromEntries(shown) }}
            values={values}
            open={['limits', 'moderation']}
            onChange={setValues}
          />
        </fieldset>
        {mayChange && (
          <div>
            <SubmitButton kind="primary" disabled={values === document}>
              Review the change
            </SubmitButton>
          </div>
        )}
      </Form>
    </Card>
  );
}

/** The document as it is now with these settings: the rest of it may have changed since the form was opened. */
const withSettings = (document: ConfigDocument, settings: Values, keys: readonly string[]): ConfigDocument =>
  keys.reduce((changed, key) => withValue(changed, key, settings[key]), document as Values) as ConfigDocument;
