// The first column's call, ready to be pasted into a program.

import { useState } from 'react';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { SelectField } from '../../ui/field.tsx';
import { CODE_LANGUAGES, type CodeCall, type CodeLanguage, requestCode } from './request-code.ts';

export function RequestAsCode(call: Omit<CodeCall, 'origin'>) {
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  return (
    <Card
      title="This call as code"
      actions={
        <SelectField
          label="Language"
          isLabelHidden
          value={language}
          onChange={(event) => setLanguage(event.target.value as CodeLanguage)}
        >
          {CODE_LANGUAGES.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </SelectField>
      }
    >
      <CodeBlock label="The call as code" code={requestCode(language, { ...call, origin: location.origin })} />
    </Card>
  );
}
