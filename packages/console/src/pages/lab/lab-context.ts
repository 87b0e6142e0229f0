// The app of a lab, and its acts: calls that change something, one at a time, with the latest one and its response.

import type { Product, SentCall } from '@opentill/client/operator';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { type LabCall, makeCall, refreshLab } from '../../api/lab.ts';
import { latestEventsQuery } from '../../api/live-events.ts';

/** A call with what became of it so far. */
export interface Act {
  readonly call: LabCall;
  readonly sent?: SentCall | undefined;
  readonly state: 'pending' | 'done' | 'failed';
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface Lab {
  readonly packageName: string;
  readonly products: readonly Product[];
  /** The latest one. */
  readonly last: Act | undefined;
  /** Whether the server answers, so that what is shown is live. */
  readonly isAnswering: boolean;
  /** While a call runs, no other starts. */
  readonly isBusy: boolean;
  /** Makes a call; throws what it throws. */
  readonly act: (call: LabCall) => Promise<unknown>;
  /** For buttons and keys: does nothing while something runs. */
  readonly start: (call: LabCall) => void;
}

/** What a column that is kept up to date says about itself. */
export function useLiveNote(): string {
  return useLab().isAnswering ? 'Live' : 'Not live: no answer';
}

const LabContext = createContext<Lab | undefined>(undefined);

export const LabProvider = LabContext.Provider;

export function useLab(): Lab {
  const lab = useContext(LabContext);
  if (lab === undefined) throw new Error('There is no lab around this component.');
  return lab;
}

export function useActs({
  packageName,
  products,
  isAnswering,
}: Pick<Lab, 'packageName' | 'products' | 'isAnswering'>): Lab {
  const queryClient = useQueryClient();
  const [last, setLast] = useState<Act>();
  const isActing = useRef(false);
  const { mutateAsync, isPending } = useMutation({
    async mutationFn(call: LabCall) {
      isActing.current = true;
      let sent: SentCall | undefined;
      setLast({ call, state: 'pending' });
      try {
        const result = await makeCall(call, (made) => {
          sent = made;
        });
        setLast({ call, sent, state: 'done', result });
        return result;
      } catch (error) {
        setLast({ call, sent, state: 'failed', error });
        throw error;
      } finally {
        isActing.current = false;
      }
    },
    onSettled(_result, _error, { operation }) {
      refreshLab(queryClient, packageName);
      // It removes events without writing one.
      if (operation === 'reset') void queryClient.invalidateQueries(latestEventsQuery(packageName));
    },
  });
  const start = useCallback(
    (call: LabCall) => {
      // The result panel shows a failure.
      if (!isActing.current) mutateAsync(call).catch(() => undefined);
    },
    [mutateAsync],
  );
  return useMemo(
    () => ({ packageName, products, isAnswering, last, isBusy: isPending, act: mutateAsync, start }),
    [packageName, products, isAnswering, last, isPending, mutateAsync, start],
  );
}
