// The address of a search, for links of help desks: a single record opens by itself, several are listed in the palette.

import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useSearch } from '@tanstack/react-router';
import { PageHeading } from '../parts/page-heading.tsx';
import { PanelContent } from '../parts/panel.tsx';
import { comparedText, linkToHit, Palette, searchQuery } from './palette.tsx';

export function FindPage() {
  const { q = '', orderId = q } = useSearch({ from: '/frame/find' });
  const search = useQuery(searchQuery(orderId));
  const [isOpen, { open, close }] = useDisclosure(true);
  const hits = search.data?.hits ?? [];
  const [only] = hits;
  if (only !== undefined && hits.length === 1) return <Navigate {...linkToHit(only)} replace />;
  return (
    <Stack gap="lg" align="flex-start">
      <PageHeading title="Find" />
      <Text size="sm">{comparedText}</Text>
      <Button onClick={open}>Find</Button>
      <PanelContent state={orderId === '' ? { ...search, isPending: false } : search}>
        <Palette key={orderId} text={orderId} isOpen={isOpen} onClose={close} />
      </PanelContent>
    </Stack>
  );
}
