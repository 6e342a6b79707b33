// The results of functions that a model called, typed by hand, so that the conversation can go on.

import { useState } from 'react';
import type { CalledFunction } from '../../api/chat-stream.ts';
import { AreaField } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { handedTo } from '../../ui/handed-to.ts';
import type { FunctionResult } from './conversation.ts';

type FunctionResultsProps = Readonly<{
  calls: readonly CalledFunction[];
  onResults: (results: readonly FunctionResult[]) => void;
}>;

export function FunctionResults({ calls, onResults }: FunctionResultsProps) {
  const [texts, setTexts] = useState<readonly string[]>(() => calls.map(() => ''));
  const read = (): readonly FunctionResult[] =>
    calls.map(({ id }, index) => ({ callId: id, text: texts[index] ?? '' }));
  return (
    <Form sending={handedTo(onResults)} read={read} className="grid gap-3">
      {calls.map(({ id, name }, index) => (
        <AreaField
          key={id}
          label={`What ${name} gives`}
          rows={2}
          required
          value={texts[index] ?? ''}
          onChange={(event) => setTexts(texts.with(index, event.target.value))}
        />
      ))}
      <div>
        <SubmitButton isSmall>Answer the model</SubmitButton>
      </div>
    </Form>
  );
}
