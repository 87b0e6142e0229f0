// Code with a button that copies it.

import { Button, Code, CopyButton, Stack } from '@mantine/core';

export function CopiedCode({ code, what = '' }: { readonly code: string; readonly what?: string }) {
  return (
    <Stack gap="xs" align="flex-start">
      <Code block w="100%" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {code}
      </Code>
      <CopyButton value={code}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy} aria-label={`Copy ${what}`.trim()}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Stack>
  );
}
