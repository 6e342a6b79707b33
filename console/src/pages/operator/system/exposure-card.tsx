// Users who have left calls unpaid and are restricted, and what the operator can do: lift a restriction, or raise the
// allowance.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { changeExposure, exposuresKey, exposuresQuery, type UserExposure } from '../../../api/operator/system.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { formatUsd } from '../../../ui/format.ts';
import { Moment } from '../../../ui/moment.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { Allowed } from '../role.tsx';
import { useOperation } from '../use-operation.ts';
import { UserLink } from '../user-link.tsx';

const COLUMNS = [
  { label: 'User' },
  { label: 'State' },
  { label: 'Unpaid', isNumber: true },
  { label: 'Allowance', isNumber: true },
  { label: 'Actions', isHidden: true },
];

type ExposureCardProps = Readonly<{ title?: string; isAbout?: (one: UserExposure) => boolean }>;

/** For everybody, or for the users that a page is about. */
export function ExposureCard({ title = 'Unpaid now', isAbout = () => true }: ExposureCardProps) {
  const query = useQuery({ ...exposuresQuery, select: (exposures) => exposures.filter(isAbout) });
  return (
    <Card
      title={title}
      description="Calls that a user leaves unpaid count against an allowance, which comes back with time. Beyond it the user’s calls are refused."
      isFlush
    >
      <QueryView query={query}>
        {(exposures) =>
          exposures.length === 0 ? (
            <p className="px-5 pb-4 text-sm">Nothing was left unpaid lately.</p>
          ) : (
            <Table label="Unpaid now, by user" columns={COLUMNS}>
              {exposures.map((one) => (
                <Row key={`${one.accountId} ${one.userId}`} exposure={one} />
              ))}
            </Table>
          )
        }
      </QueryView>
    </Card>
  );
}

function Row({ exposure }: Readonly<{ exposure: UserExposure }>) {
  const { userId, accountId } = exposure;
  return (
    <tr>
      <Cell>
        <UserLink userId={userId}>{userId}</UserLink>
        {accountId !== userId && (
          <span className="block text-xs text-quiet">
            in{' '}
            <Link to="/operator/orgs/$orgId" params={{ orgId: accountId }} className={textLinkClass}>
              {accountId}
            </Link>
          </span>
        )}
      </Cell>
      <Cell>
        <State exposure={exposure} />
      </Cell>
      <Cell isNumber>{formatUsd(exposure.unpaidUsd)}</Cell>
      <Cell isNumber>{formatUsd(exposure.allowanceUsd)}</Cell>
      <Cell className="text-right">
        <Allowed least="support">
          <span className="inline-flex gap-2">
            {exposure.restricted && <LiftButton exposure={exposure} />}
            <RaiseButton exposure={exposure} />
          </span>
        </Allowed>
      </Cell>
    </tr>
  );
}

function State({ exposure }: Readonly<{ exposure: UserExposure }>) {
  if (!exposure.restricted) return <Badge>may call</Badge>;
  const { restrictedUntil, restrictedReason, restrictions } = exposure;
  return (
    <>
      <Badge tone="bad">restricted</Badge>
      <span className="block text-xs text-quiet">
        until {restrictedUntil === null ? 'it is lifted' : <Moment at={restrictedUntil} />}
        {`, ${restrictedReason ?? 'unpaid'}, time ${restrictions}`}
      </span>
    </>
  );
}

function LiftButton({ exposure }: Readonly<{ exposure: UserExposure }>) {
  const lift = useOperation({
    run: () => changeExposure(exposure, { restricted: false }),
    touches: exposuresKey,
    done: 'The restriction is lifted.',
  });
  return (
    <>
      <ErrorNotice error={lift.error} />
      <Button isBusy={lift.isPending} onClick={() => lift.mutate()}>
        Lift
      </Button>
    </>
  );
}

function RaiseButton({ exposure }: Readonly<{ exposure: UserExposure }>) {
  const [isOpen, setOpen] = useState(false);
  const raise = useOperation({
    run: (extraUsd: number) => changeExposure(exposure, { extraUsd }),
    touches: exposuresKey,
    done: 'The allowance is changed.',
    onDone: () => setOpen(false),
  });
  return (
    <>
      <Button onClick={() => setOpen(true)}>Allow more</Button>
      <FormDialog
        title={`Allowance of ${exposure.userId}`}
        verb="Set it"
        isOpen={isOpen}
        sending={raise}
        read={(form) => Number(textIn(form, 'extraUsd'))}
        onClose={() => setOpen(false)}
      >
        <TextField
          label="Added to the allowance, USD"
          name="extraUsd"
          type="number"
          min={0}
          step="any"
          required
          defaultValue={String(exposure.extraUsd)}
          hint="0 takes back what was added."
        />
      </FormDialog>
    </>
  );
}
