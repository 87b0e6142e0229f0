// The instant of an entry, to the second.

import { useTimeZone } from '../../parts/preferences.ts';
import { clockText } from './clock-text.ts';

export function FeedTime({ ms }: { readonly ms: number }) {
  const timeZone = useTimeZone();
  return (
    <time
      dateTime={new Date(ms).toISOString()}
      style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}
    >
      {clockText(ms, timeZone).replace('  ', ' ')}
    </time>
  );
}
