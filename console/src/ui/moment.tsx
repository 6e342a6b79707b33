// A moment in the reader's own zone. A tooltip shows it in UTC, as the API, the files and other people state it.

import { formatDateTime } from './format.ts';

const LOCAL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const LOCAL_DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

type MomentProps = Readonly<{ at: string | number; isDateOnly?: boolean }>;

export function Moment({ at, isDateOnly = false }: MomentProps) {
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()} title={formatDateTime(at)}>
      {(isDateOnly ? LOCAL_DATE : LOCAL).format(moment)}
    </time>
  );
}
