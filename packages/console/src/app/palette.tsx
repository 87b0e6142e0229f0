// The palette (Ctrl-K): the pages, and the actions of the current page.

import { Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { usePageActions } from '../parts/page-actions.ts';
import { pathOf, useGo } from '../parts/page-link.tsx';
import { navigation } from './navigation.ts';

interface Command {
  readonly label: string;
  readonly run: () => void;
}

interface PaletteProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function Palette({ isOpen, onClose }: PaletteProps) {
  return (
    <Dialog title="Commands" isOpen={isOpen} onClose={onClose}>
      <PaletteContent onClose={onClose} />
    </Dialog>
  );
}

function useCommands(text: string): readonly Command[] {
  const navigate = useNavigate();
  const actions = usePageActions();
  const pages = navigation.map(({ label, path }) => ({ label: `Go to ${label}`, run: () => go(path) }));
  const words = text.trim().toLowerCase();
  const matching = [...actions, ...pages].filter(({ label }) => label.toLowerCase().includes(words));
  const find = { label: `Find ${text.trim()}`, run: () => go(linkTo.find(text.trim())) };
  return words === '' ? matching : [...matching, find];
}

function PaletteContent({ onClose }: Pick<PaletteProps, 'onClose'>) {
  const [text, setText] = useState('');
  const commands = useCommands(text);
  const choose = ({ run }: Command): void => {
    onClose();
    run();
  };
  return (
    <Stack gap="sm" onKeyDown={moveFocus}>
      <TextInput
        aria-label="Command"
        placeholder="A page, an action, or what to find"
        data-autofocus
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = commands;
          if (event.key === 'Enter' && first !== undefined) choose(first);
        }}
      />
      <Stack gap={2}>
        {commands.map((command) => (
          <UnstyledButton
            key={command.label}
            p="xs"
            fz="sm"
            onClick={() => choose(command)}
            style={{ overflowWrap: 'anywhere' }}
          >
            <bdi>{command.label}</bdi>
          </UnstyledButton>
        ))}
      </Stack>
      <Text size="xs" c="dimmed">
        Arrow keys choose, Enter runs the first or the chosen command, Esc closes.
      </Text>
    </Stack>
  );
}

/** The arrow keys walk the input and the commands. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, button')];
  const current = stops.indexOf(document.activeElement as HTMLElement);
  stops[current + step]?.focus();
}
