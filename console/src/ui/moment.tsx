// A moment in the reader's own zone. A tooltip shows it in UTC, as the API, the files and other people state it.

import { formatDateTime } from './format.ts';

const LOCAL_TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const LOCAL_DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

type MomentProps = Readonly<{ at: string | number; isDateOnly?: boolean }>;

export function Moment({ at, isDateOnly = false }: MomentProps) {
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()} title={formatDateTime(at)}>
      {/* In a narrow column it is broken between the day and the time, and nowhere else. */}
      <span className="whitespace-nowrap">{LOCAL_DATE.format(moment)}</span>
      {!isDateOnly && (
        <>
          , <span className="whitespace-nowrap">{LOCAL_TIME.format(moment)}</span>
        </>
      )}
    </time>
  );
}
