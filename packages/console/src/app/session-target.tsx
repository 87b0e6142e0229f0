// The button of the session menu.

import { Button, type ButtonProps } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { Author, authorText } from '../parts/author.tsx';
import { isProduction } from '../runtime/page.ts';

type SessionTargetProps = ButtonProps & ComponentProps<'button'> & { readonly madeBy: string };

export function SessionTarget({ madeBy, ...props }: SessionTargetProps) {
  return (
    <Button
      {...props}
      variant="subtle"
      color={isProduction ? 'gray.0' : 'gray'}
      rightSection={<IconChevronDown size={16} />}
      aria-label={`Session of ${authorText(madeBy)}`}
      aria-haspopup="menu"
      px={{ base: 'xs', sm: 'md' }}
      style={{ minWidth: 0 }}
    >
      <Author madeBy={madeBy} />
    </Button>
  );
}
