// Signs in: by the code of a one-time link, which is in the fragment of the address, or by an operator key.

import { Button, Center, Code, Loader, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { useSignIn } from '../api/session.ts';
import { EnvironmentBadge } from '../parts/environment.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { Problem } from '../parts/problem.tsx';
import { isProduction } from '../runtime/page.ts';

interface SignInPageProps {
  /** The code of a one-time link. */
  readonly code?: string | undefined;
  readonly onSignedIn?: () => void;
}

export function SignInPage(props: SignInPageProps) {
  usePageTitle('Sign in');
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder radius="md" p="xl" w="100%" maw={420}>
        <Stack gap="lg">
          <Stack gap="xs" align="flex-start">
            <EnvironmentBadge />
            <Title order={1}>OpenTill</Title>
          </Stack>
          <SignInForm {...props} />
        </Stack>
      </Paper>
    </Center>
  );
}

export function SignInForm({ code, onSignedIn }: SignInPageProps) {
  const signIn = useSignIn(onSignedIn);
  const [key, setKey] = useState('');
  const { mutate } = signIn;
  useEffect(() => {
    if (code !== undefined) mutate({ code });
  }, [code, mutate]);
  if (code !== undefined && (signIn.isIdle || signIn.isPending)) {
    return (
      <Center p="lg" aria-busy="true">
        <Loader aria-label="Signing in" />
      </Center>
    );
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate({ key });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {signIn.error !== null && <Problem error={signIn.error} />}
        <PasswordInput
          label="Operator key"
          description="A key of the role support or admin from the settings of the server; with the bundled PostgreSQL also that of operator.key in its data folder."
          name="key"
          autoComplete="current-password"
          required
          withAsterisk={false}
          data-autofocus
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
        {!isProduction && (
          <Text size="sm" c="dimmed">
            Without a key: <Code>npx opentill console</Code> prints a link that signs in.
          </Text>
        )}
      </Stack>
    </form>
  );
}
