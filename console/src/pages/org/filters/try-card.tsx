// Tries a text on the rules that are on. Nothing is sent anywhere, kept or charged.

import { useMutation } from '@tanstack/react-query';
import { CircleCheck, CircleX } from 'lucide-react';
import { type FilterTrial, tryFilters } from '../../../api/orgs/content-filters.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { AreaField } from '../../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../../ui/form.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useOrg } from '../current-org.ts';
import { ACTION_TONES } from './filter-words.ts';

export function TryCard() {
  const { id: orgId } = useOrg();
  const trial = useMutation({
    mutationFn: async (text: string) => ({ text, answer: await tryFilters(orgId, text) }),
  });
  return (
    <Card title="Try it" description="What would the rules do with this text? It is sent nowhere and not kept.">
      <Form sending={trial} read={(form) => String(form.get('text') ?? '')} className="grid gap-3">
        <AreaField
          label="Text"
          isLabelHidden
          name="text"
          rows={4}
          required
          placeholder="Please charge 4111 1111 1111 1111, my address is ada@example.com."
        />
        <div>
          <SubmitButton>Try the rules</SubmitButton>
        </div>
        <FormError />
        {trial.data !== undefined && <Outcome text={trial.data.text} answer={trial.data.answer} />}
      </Form>
    </Card>
  );
}

function Outcome({ text, answer }: Readonly<{ text: string; answer: FilterTrial }>) {
  const { allowed, error, matches, redacted, undecided } = answer;
  return (
    <div className="grid gap-3">
      <Notice tone={allowed ? 'good' : 'warn'} icon={allowed ? <CircleCheck size={18} /> : <CircleX size={18} />}>
        {error === null
          ? 'The text would be sent.'
          : `The call would be refused with ${error.status} (${error.code}): ${error.message}`}
      </Notice>
      {undecided.length > 0 && (
        <Notice tone="warn">Some rules took too long to decide. A rule that blocks then refuses the call.</Notice>
      )}
      {matches.length > 0 && (
        <ul className="grid gap-1.5 text-sm">
          {matches.map(({ ruleId, name, action, start, end }) => (
            <li key={`${ruleId} ${start}`} className="flex flex-wrap items-center gap-2">
              <Badge tone={ACTION_TONES[action]}>{action}</Badge>
              <span>{name}</span>
              <mark className="rounded bg-warn-soft px-1 font-mono text-xs break-all text-warn">
                {text.slice(start, end)}
              </mark>
            </li>
          ))}
        </ul>
      )}
      {allowed && redacted !== text && (
        <section className="grid gap-1">
          <h3 className="text-sm font-medium">What would be sent</h3>
          <p className="rounded-lg bg-sunken p-3 font-mono text-xs break-words whitespace-pre-wrap">{redacted}</p>
        </section>
      )}
      {matches.length === 0 && <p className="text-sm text-quiet">No rule matches.</p>}
    </div>
  );
}
