// The prompt and the answer of a call, where the organization has kept them. They are shown when somebody asks, because
// each reading is logged.

import { useMutation } from '@tanstack/react-query';
import { readTranscript, type Transcript } from '../../api/transcripts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Notice } from '../../ui/notice.tsx';

export function ContentCard({ orgId, id }: Readonly<{ orgId: string; id: string }>) {
  const reading = useMutation({ mutationFn: () => readTranscript(orgId, id) });
  return (
    <Card
      title="Prompt and answer"
      description="Kept if your organization wants it. Showing them is noted in its audit log."
    >
      {reading.data === undefined ? (
        <Button isBusy={reading.isPending} onClick={() => reading.mutate()}>
          Show the prompt and the answer
        </Button>
      ) : (
        <Texts transcript={reading.data} />
      )}
      <ErrorNotice error={reading.error} />
    </Card>
  );
}

function Texts({ transcript: { input, output, truncated } }: Readonly<{ transcript: Transcript }>) {
  const parts = [
    ...input.messages.map(({ role, content }) => [role, content] as const),
    ...(output.reasoning === null ? [] : [['reasoning', output.reasoning] as const]),
    ['answer', output.completion === '' ? output.response : output.completion] as const,
  ];
  return (
    <div className="grid gap-4">
      {truncated && <Notice tone="warn">It was too long to be kept whole.</Notice>}
      {parts.map(([role, content], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a call stay where they are.
        <section key={index} className="grid gap-1">
          <h3 className="text-xs font-medium text-quiet">{role}</h3>
          <p className="text-sm break-words whitespace-pre-wrap">{content}</p>
        </section>
      ))}
    </div>
  );
}
