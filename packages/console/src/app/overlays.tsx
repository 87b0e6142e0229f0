// The palette and the help, which are loaded when one of them is opened for the first time.

import { useEffect, useState } from 'react';
import { Help } from './help.tsx';
import { Palette } from './palette.tsx';

export type OverlayName = 'palette' | 'help';

interface OverlaysProps {
  readonly shown: OverlayName | undefined;
  readonly onClose: () => void;
}

export function Overlays({ shown, onClose }: OverlaysProps) {
  // A dialog returns the focus only if it was mounted before it opened.
  const [name, setName] = useState<OverlayName>();
  useEffect(() => setName(shown), [shown]);
  return (
    <>
      <Palette isOpen={name === 'palette'} onClose={onClose} />
      <Help isOpen={name === 'help'} onClose={onClose} />
    </>
  );
}
