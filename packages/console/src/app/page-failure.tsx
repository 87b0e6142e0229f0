// A page that could not be shown. If the server has another version of the console, whose files have other names, the
// window is loaded again; otherwise the page says so, and is tried again when the server answers.

import { Alert, Button, Stack, Text } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { probe, useConnection } from '../api/connection.ts';
import { PageHeading } from '../parts/page-heading.tsx';
import { hasOtherVersion, reloadPage } from '../runtime/page.ts';

export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const { isLost } = useConnection();
  const retry = (): void => {
    reset();
    void router.invalidate();
  };
  const retryLater = useEffectEvent(retry);
  const [isOutage, setOutage] = useState(false);
  useEffect(() => {
    void probe().then(async (isAnswered) => {
      setOutage(!isAnswered);
      if (isAnswered && (await hasOtherVersion())) reloadPage();
    });
  }, []);
  useEffect(() => {
    if (isOutage && !isLost) retryLater();
  }, [isOutage, isLost]);
  return (
    <Stack gap="lg">
      <PageHeading title="This page could not be loaded" />
      <Alert color="bad" role="alert">
        <Stack gap="sm" align="flex-start">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {isOutage ? 'The server does not answer.' : String(error)}
          </Text>
          <Button variant="default" onClick={retry}>
            Retry
          </Button>
        </Stack>
      </Alert>
    </Stack>
  );
}
