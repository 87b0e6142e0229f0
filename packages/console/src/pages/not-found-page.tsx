// An address that the console does not know.

import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PageHeading } from '../parts/page-heading.tsx';

export function NotFoundPage() {
  return (
    <Stack gap="sm" align="flex-start">
      <PageHeading title="Not found" />
      <Text>The console has no page at this address.</Text>
      <Anchor component={Link} to="/">
        Go to the overview
      </Anchor>
    </Stack>
  );
}
