// An address that the console does not know.

import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { pageTitle } from '../parts/page-title.ts';

export function NotFoundPage() {
  useDocumentTitle(pageTitle('Not found'));
  return (
    <Stack gap="sm" align="flex-start">
      <Title order={1} size="h2">
        Not found
      </Title>
      <Text>The console has no page at this address.</Text>
      <Anchor component={Link} to="/">
        Go to the overview
      </Anchor>
    </Stack>
  );
}
