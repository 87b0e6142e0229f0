// What the backend of the app asked: its latest calls of the purchase API with their responses, and how to fix those that
// have a hint.

import { Alert, List, Text } from '@mantine/core';
import type { LoggedRequest } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { requestsQuery } from '../../api/lab.ts';
import { counted } from '../../parts/count-text.ts';
import type { Search } from '../../parts/filter-fields.ts';
import { FilterBar, FilteredToNothing, isFiltered } from '../../parts/filters.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { State } from '../../parts/state.tsx';
import { Feed, FeedEntry, feedStep } from './feed-entry.tsx';
import { useLab, useLiveNote } from './lab-context.ts';
import { RequestDetails } from './request-details.tsx';
import { requestFields, requestFilterOf } from './request-fields.ts';

export function RequestsPanel({ search }: { readonly search: Search }) {
  const { packageName } = useLab();
  const requests = useQuery(requestsQuery({ packageName, ...requestFilterOf(search) }));
  const note = useLiveNote();
  const [shownMax, setShownMax] = useState(feedStep);
  const all = requests.data?.requests ?? [];
  const filter = { fields: requestFields, search };
  return (
    <Panel title="What your backend asked" note={note} state={requests}>
      <FilterBar {...filter} />
      <Hints requests={all} />
      {all.length === 0 &&
        (isFiltered(filter) ? (
          <FilteredToNothing {...filter} />
        ) : (
          <Text size="sm" c="dimmed">
            Calls of the purchase API with a token of this app appear here.
          </Text>
        ))}
      <Feed
        label="Requests"
        onOlder={all.length > shownMax ? () => setShownMax(shownMax + feedStep) : undefined}
      >
        {all.slice(0, shownMax).map((request) => (
          <RequestEntry key={request.requestId} request={request} />
        ))}
      </Feed>
    </Panel>
  );
}

/** Each hint once, with the number of calls that have it. */
function Hints({ requests }: { readonly requests: readonly LoggedRequest[] }) {
  const found = Map.groupBy(
    requests.flatMap(({ hints }) => hints),
    ({ hint }) => hint,
  );
  if (found.size === 0) return null;
  return (
    <Alert color="info" title="How to fix your calls">
      <List size="sm" spacing={4}>
        {[...found].map(([hint, all]) => (
          <List.Item key={hint}>
            <Text span size="sm" fw={500}>
              {hint}
            </Text>{' '}
            ({counted(all.length, 'call')}): {all[0]?.explanation}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function RequestEntry({ request }: { readonly request: LoggedRequest }) {
  const { operationId, httpStatus, errorCode, fault, hints, time, latencyMs } = request;
  const code = errorCode === undefined || errorCode === httpStatus ? '' : ` ${errorCode}`;
  return (
    <FeedEntry
      title={operationId}
      time={
        <>
          <Instant ms={time} />, {Math.round(latencyMs)} ms
        </>
      }
      badges={
        <>
          {fault !== undefined && <State tone="info">fault {fault + 1}</State>}
          {hints[0] !== undefined && <State tone="waiting">{hints[0].hint}</State>}
          <State tone={httpStatus === undefined || httpStatus >= 400 ? 'bad' : 'good'}>
            {httpStatus === undefined ? 'no response' : `${httpStatus}${code}`}
          </State>
        </>
      }
    >
      <RequestDetails request={request} />
    </FeedEntry>
  );
}
