// The pages that are shown instead of one: for an unknown address, and for a page that could not be loaded or shown.

import { Alert, Button, Stack, Text } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { PageHeading } from '../parts/page-heading.tsx';
import { PageLink } from '../parts/page-link.tsx';
import { reloadPage } from '../runtime/page.ts';

export function NotFoundPage() {
  return (
    <Stack gap="sm" align="flex-start">
      <PageHeading title="Not found" />
      <Text>The console has no page at this address.</Text>
      <PageLink to="/">Go to the overview</PageLink>
    </Stack>
  );
}

/** Browsers remember a failed import, so that only a reload tries again. */
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
