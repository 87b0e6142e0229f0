// A page that could not be loaded or shown. Browsers remember a failed import, so that only a reload tries again.

import { Alert, Button, Stack, Text } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { PageHeading } from '../parts/page-heading.tsx';
import { reloadPage } from '../runtime/page.ts';

export function PageFailure({ error }: ErrorComponentProps) {
  return (
    <Stack gap="lg">
      <PageHeading title="This page could not be loaded" />
      <Alert color="bad" role="alert">
        <Stack gap="sm" align="flex-start">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {String(error)}
          </Text>
          <Button variant="default" onClick={reloadPage}>
            Reload
          </Button>
        </Stack>
      </Alert>
    </Stack>
  );
}
