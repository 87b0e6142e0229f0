// Starts the console in its page.

import '@mantine/core/styles.css';
import './console.css';
import '../runtime/early-keys.ts';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { queryClient, sessionQuery } from '../api/session.ts';
import { hideInputMethodKeys } from '../parts/keys.ts';
import { styleNonce } from '../runtime/page.ts';
import { router } from './router.tsx';
import { theme, themeVariables } from './theme.ts';

const element = document.getElementById('console');
if (element === null) throw new Error('The page has no element #console.');
// For the styles of open dialogs, which a library of Mantine writes.
setNonce(styleNonce);
hideInputMethodKeys();
// Every page needs it, and reads while its own code is loaded.
void queryClient.prefetchQuery(sessionQuery);
createRoot(element).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={themeVariables}
    defaultColorScheme="auto"
    getStyleNonce={() => styleNonce}
  >
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);
