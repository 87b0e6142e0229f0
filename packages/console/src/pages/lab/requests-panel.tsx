// What the backend of the app asked: its latest calls of the purchase API with their responses, and how to fix those that
// have a hint.

import { Alert, Badge, List, Text } from '@mantine/core';
import type { LoggedRequest } from '@opentill/client/operator';
import { useQuery } from '@tanstack/react-query';
import { requestsQuery } from '../../api/lab.ts';
import { FilterBar, FilteredToNothing, isFiltered, type Search } from '../../parts/filters.tsx';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { JsonText } from './act-result.tsx';
import { Feed, FeedEntry } from './feed-entry.tsx';
import { useLab } from './lab-context.ts';
import { requestFields, requestFilterOf } from './request-fields.ts';

export function RequestsPanel({ search }: { readonly search: Search }) {
  const { packageName } = useLab();
  const requests = useQuery(requestsQuery({ packageName, ...requestFilterOf(search) }));
  const shown = requests.data?.requests ?? [];
  const filter = { fields: requestFields, search };
  return (
    <Panel title="What your backend asked" note="Live" state={requests}>
      <FilterBar {...filter} />
      <Hints requests={shown} />
      {shown.length === 0 &&
        (isFiltered(filter) ? (
          <FilteredToNothing {...filter} />
        ) : (
          <Text size="sm" c="dimmed">
            Calls of the purchase API with a token of this app appear here.
          </Text>
        ))}
      <Feed label="Requests">
        {shown.map((request) => (
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
    <Alert color="blue" variant="light" title="How to fix your calls">
      <List size="sm" spacing={4}>
        {[...found].map(([hint, all]) => (
          <List.Item key={hint}>
            <Text span size="sm" fw={500}>
              {hint}
            </Text>{' '}
            ({all.length === 1 ? '1 call' : `${all.length} calls`}): {all[0]?.explanation}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function RequestEntry({ request }: { readonly request: LoggedRequest }) {
  const {
    operationId,
    time,
    httpStatus,
    latencyMs,
    method,
    path,
    answer,
    isAnswerCut,
    fault,
    cause,
    hints,
    requestId,
  } = request;
  const isFailure = httpStatus === undefined || httpStatus >= 400;
  return (
    <FeedEntry
      title={operationId}
      time={
        <>
          <Instant ms={time} clock="real" />, {Math.round(latencyMs)} ms
        </>
      }
      badges={
        <>
          {fault !== undefined && (
            <Badge size="sm" color="gray.7">
              fault {fault + 1}
            </Badge>
          )}
          {hints.length > 0 && (
            <Badge size="sm" color="yellow.9">
              {hints[0]?.hint}
            </Badge>
          )}
          <Badge size="sm" color={isFailure ? 'red.9' : 'teal.9'}>
            {httpStatus ?? 'no response'}
          </Badge>
        </>
      }
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {method} <bdi>{path}</bdi>
      </Text>
      {cause !== undefined && (
        <Text size="sm" fw={500}>
          Why? <bdi>{cause.text}</bdi>
        </Text>
      )}
      {hints
        .filter(({ explanation }) => explanation !== cause?.text)
        .map(({ hint, explanation }) => (
          <Text key={hint} size="sm">
            {explanation}
          </Text>
        ))}
      <JsonText value={isAnswerCut ? `${answer}... (truncated)` : parsed(answer)} />
      <Id value={requestId} what="request id" wraps />
    </FeedEntry>
  );
}

/** The response of an operation is JSON, but that of a fault may be empty. */
function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}
