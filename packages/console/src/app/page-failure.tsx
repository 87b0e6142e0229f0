// A page that could not be loaded. The window is loaded again when the server answers after an outage, because browsers
// remember a failed import, and when the server has another version of the console, whose files have other names. It is
// never loaded again without an answer, which would end on the error page of the browser.

import { Alert, Button, Stack, Text } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { probe, useConnection } from '../api/connection.ts';
import { PageHeading } from '../parts/page-heading.tsx';
import { hasOtherVersion, reloadPage } from '../runtime/page.ts';

export function PageFailure({ error }: ErrorComponentProps) {
  const { isLost } = useConnection();
  const [isOutage, setOutage] = useState(false);
  const check = async (): Promise<boolean> => {
    const isAnswered = await probe();
    setOutage(!isAnswered);
    return isAnswered;
  };
  const checkFirst = useEffectEvent(async () => {
    if ((await check()) && (await hasOtherVersion())) reloadPage();
  });
  const retry = async (): Promise<void> => {
    if (await check()) reloadPage();
  };
  useEffect(() => void checkFirst(), []);
  useEffect(() => {
    if (isOutage && !isLost) reloadPage();
  }, [isOutage, isLost]);
  return (
    <Stack gap="lg">
      <PageHeading title="This page could not be loaded" />
      <Alert color="bad" role="alert">
        <Stack gap="sm" align="flex-start">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {isOutage ? 'The server does not answer.' : String(error)}
          </Text>
          <Button variant="default" onClick={() => void retry()}>
            Retry
          </Button>
        </Stack>
      </Alert>
    </Stack>
  );
}
