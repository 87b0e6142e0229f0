// An instant, in the time zone of the store.

import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';

export function Instant({ ms }: { readonly ms: number }) {
  const { data } = useQuery(sessionQuery);
  const timeZone = data?.session?.timeZone ?? 'UTC';
  return (
    <time dateTime={new Date(ms).toISOString()} style={{ whiteSpace: 'nowrap' }}>
      {formatOf(timeZone).format(ms)}
    </time>
  );
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  });
  formats.set(timeZone, format);
  return format;
}
