// Starts the console in its page.

import '@mantine/core/styles.css';
import './console.css';
import '../runtime/early-keys.ts';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from '../api/session.ts';
import { hideInputMethodKeys } from '../parts/keys.ts';
import { styleNonce } from '../runtime/page.ts';
import { router } from './router.tsx';
import { theme, themeVariables } from './theme.ts';

const element = document.getElementById('console');
if (element === null) throw new Error('The page has no element #console.');
// For the styles of open dialogs, which a library of Mantine writes.
setNonce(styleNonce);
hideInputMethodKeys();
createRoot(element).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={themeVariables}
    defaultColorScheme="auto"
    getStyleNonce={() => styleNonce}
  >
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
