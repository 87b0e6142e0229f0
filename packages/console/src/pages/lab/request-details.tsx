// A logged call with its cause, the records that it is about, and its response.

import { Text } from '@mantine/core';
import type { LoggedRequest } from '@opentill/client/operator';
import { Id } from '../../parts/id.tsx';
import { Instant } from '../../parts/instant.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { linkTo, PageLink } from '../../parts/page-link.tsx';
import { JsonText } from './act-result.tsx';
import { useLab } from './lab-context.ts';
import { consumedBy, purchaseIdOf } from './request-groups.ts';

interface RequestDetailsProps {
  readonly request: LoggedRequest;
  /** Those in which the cause is searched for. */
  readonly requests: readonly LoggedRequest[];
}

export function RequestDetails({ request, requests }: RequestDetailsProps) {
  const { packageName } = useLab();
  const { method, path, answer, isAnswerCut, cause, hints, requestId } = request;
  const earlier = consumedBy(request, requests);
  const purchaseId = purchaseIdOf(request);
  return (
    <>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {method} <bdi>{path}</bdi>
      </Text>
      {earlier !== undefined && (
        <Text size="sm" fw={500}>
          Why? Already consumed at <Instant ms={earlier.time} /> by request{' '}
          <PageLink {...linkTo.find(earlier.requestId)} inherit underline="always">
            <LongText text={earlier.requestId} />
          </PageLink>
          .
        </Text>
      )}
      {earlier === undefined && cause !== undefined && (
        <Text size="sm" fw={500}>
          Why? <bdi>{cause}</bdi>
        </Text>
      )}
      {hints
        .filter(({ explanation }) => earlier !== undefined || explanation !== cause)
        .map(({ hint, explanation }) => (
          <Text key={hint} size="sm">
            {explanation}
          </Text>
        ))}
      {purchaseId !== undefined && (
        <Id value={purchaseId} what="purchase id" wraps link={linkTo.purchase({ packageName, purchaseId })} />
      )}
      {answer !== '' && <JsonText value={isAnswerCut ? `${answer}... (truncated)` : parsed(answer)} />}
      <Id value={requestId} what="request id" wraps />
    </>
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
