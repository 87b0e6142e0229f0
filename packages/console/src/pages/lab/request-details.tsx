// A logged call with its cause and its response.

import { Text } from '@mantine/core';
import type { LoggedRequest } from '@opentill/client/operator';
import { Id } from '../../parts/id.tsx';
import { JsonText } from './act-result.tsx';

export function RequestDetails({ request }: { readonly request: LoggedRequest }) {
  const { method, path, answer, isAnswerCut, cause, hints, requestId } = request;
  return (
    <>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {method} <bdi>{path}</bdi>
      </Text>
      {cause !== undefined && (
        <Text size="sm" fw={500}>
          Why? <bdi>{cause}</bdi>
        </Text>
      )}
      {hints
        .filter(({ explanation }) => explanation !== cause)
        .map(({ hint, explanation }) => (
          <Text key={hint} size="sm">
            {explanation}
          </Text>
        ))}
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
