// The session and its permissions. The state is cached like any other response, so that each page sees the same.

import type { Session } from '@opentill/client/operator';
import {
  MutationCache,
  type Query,
  QueryCache,
  QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { isProduction } from '../runtime/page.ts';
import { client, hasStatus, isSessionEnd, type OperationId } from './client.ts';

interface SessionState {
  /** undefined: nobody is signed in. */
  readonly session: Session | undefined;
  /** The session has ended while the page was open, which keeps what was typed. */
  readonly hasEnded: boolean;
}

const signedOut: SessionState = { session: undefined, hasEnded: false };
const sessionKey = ['session'];
const isNotSession = ({ queryKey }: Pick<Query, 'queryKey'>): boolean => queryKey[0] !== sessionKey[0];

/** Reads again what the pages show. */
export function readAgain(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ predicate: isNotSession });
}

export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  staleTime: Number.POSITIVE_INFINITY,
  async queryFn(): Promise<SessionState> {
    try {
      return { session: await client.getSession(), hasEnded: false };
    } catch (error) {
      if (hasStatus(error, 401)) return signedOut;
      throw error;
    }
  },
});

/** Returns undefined if the session may call the operation, or else what it lacks. */
export function useObstacle(operation: OperationId): string | undefined {
  const { data } = useQuery(sessionQuery);
  const session = data?.session;
  if (session === undefined || session.mayCall.includes(operation)) return undefined;
  // An admin may call every operation that the environment has.
  if (session.role === 'admin') return isProduction ? 'Only in the sandbox' : 'Not offered by this server';
  return 'Needs the role admin';
}

/** Buttons of changes are not offered to a role that may only read. */
export function useIsReader(): boolean {
  return useQuery(sessionQuery).data?.session?.role === 'read';
}

export const queryClient = createQueryClient();

function createQueryClient(): QueryClient {
  const onError = (error: unknown): void => {
    if (!isSessionEnd(error)) return;
    queryClient.setQueryData(sessionQuery.queryKey, (state = signedOut) => ({
      ...state,
      hasEnded: state.session !== undefined,
    }));
  };
  const queryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    // Everything is read again after a change, also after one that failed.
    mutationCache: new MutationCache({ onError, onSettled: () => void readAgain(queryClient) }),
    // The client retries where that is safe.
    // A browser that is offline still reaches a server on its own machine.
    defaultOptions: {
      queries: { retry: false, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return queryClient;
}

/** Signs in with an operator key, or with the code of a one-time link. */
export function useSignIn(onSignedIn?: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (secret: { readonly key: string } | { readonly code: string }) =>
      client.createSession(secret),
    async onSuccess(session) {
      // An earlier getSession that is still in flight would report that nobody is signed in.
      await queryClient.cancelQueries({ queryKey: sessionKey });
      queryClient.setQueryData(sessionQuery.queryKey, { session, hasEnded: false });
      onSignedIn?.();
    },
  });
}

export function useSignOut() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => client.deleteSession(),
    onSuccess() {
      queryClient.setQueryData(sessionQuery.queryKey, signedOut);
      queryClient.removeQueries({ predicate: isNotSession });
    },
  });
}
