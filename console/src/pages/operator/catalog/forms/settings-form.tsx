// The settings of the config document besides its entries: limits, moderation, accounts, timeouts of providers.

import { useState } from 'react';
import { ConfigDocument as documentSchema } from '../../../../../../gateway/src/contract/config.ts';
import type { ConfigDocument } from '../../../../api/operator/config.ts';
import { Card } from '../../../../ui/card.tsx';
import { Form, SubmitButton } from '../../../../ui/form.tsx';
import { handedTo } from '../../../../ui/handed-to.ts';
import type { Schema, Values } from './schema.ts';
import { SchemaFields } from './schema-fields.tsx';

/** Sections with pages of their own. */
const ELSEWHERE = ['providers', 'models', 'routes', 'markups', 'auto', 'guards'];

type SettingsFormProps = Readonly<{ document: ConfigDocument; onEdit: (document: ConfigDocument) => void }>;

export function SettingsForm({ document, onEdit }: SettingsFormProps) {
  const [values, setValues] = useState(document as Values);
  const { properties = {}, ...whole } = documentSchema as unknown as Schema;
  const shown = Object.entries(properties).filter(([key]) => !ELSEWHERE.includes(key));
  return (
    <Card title="Settings" description="A field that is left empty has its default.">
      <Form sending={handedTo(onEdit)} read={() => values as ConfigDocument}>
        <SchemaFields
          schema={{ ...whole, properties: Object.fromEntries(shown) }}
          values={values}
          open={['limits', 'moderation']}
          onChange={setValues}
        />
        <div>
          <SubmitButton kind="primary" disabled={values === document}>
            Review the change
          </SubmitButton>
        </div>
      </Form>
    </Card>
  );
}
