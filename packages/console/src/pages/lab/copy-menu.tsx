// A menu that copies code in one of several languages.

import { Button, Menu } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';

interface CopyMenuProps {
  /** By language. */
  readonly codes: Readonly<Record<string, string>>;
}

export function CopyMenu({ codes }: CopyMenuProps) {
  const { copied, copy } = useClipboard();
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="compact-xs" variant="default">
          {copied ? 'Copied' : 'Copy as'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(codes).map(([language, code]) => (
          <Menu.Item key={language} onClick={() => copy(code)}>
            {language}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
