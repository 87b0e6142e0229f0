// The open sessions of all operators, each of which an admin can end.

import { Button } from '@mantine/core';
import type { Sessions } from '@opentill/client/operator';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useObstacle } from '../../api/permission.ts';
import { sessionsQuery } from '../../api/server.ts';
import { Author, authorText } from '../../parts/author.tsx';
import { ChangeDialog } from '../../parts/change-dialog.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Records } from '../../parts/records.tsx';

type OpenSession = Sessions['sessions'][number];

/** Shows nothing to a role that may not list sessions. */
export function SessionsPanel() {
  return useObstacle('listSessions') === undefined && <OpenSessions />;
}

function OpenSessions() {
  const state = useQuery(sessionsQuery);
  const [ending, setEnding] = useState<OpenSession>();
  return (
    <Panel title="Sessions" note="of all operators" state={state}>
      <Records
        label="Sessions"
        rows={state.data?.sessions ?? []}
        keyOf={({ sessionId }) => sessionId}
        columns={[
          { title: 'Signed in as', name: 'madeBy', cell: ({ madeBy }) => <Author madeBy={madeBy} /> },
          { title: 'Role', name: 'role' },
          { title: 'Since', clock: 'real', time: ({ createdAt }) => createdAt },
          { title: 'Last call', clock: 'real', time: ({ lastSeenAt }) => lastSeenAt },
          { title: 'Ends at the latest', clock: 'real', time: ({ endsAt }) => endsAt },
          {
            title: 'Change',
            cell: (session) =>
              session.current ? 'This session' : <EndButton session={session} onEnd={setEnding} />,
          },
        ]}
      />
      {ending !== undefined && <EndDialog session={ending} onClose={() => setEnding(undefined)} />}
    </Panel>
  );
}

interface EndButtonProps {
  readonly session: OpenSession;
  readonly onEnd: (session: OpenSession) => void;
}

function EndButton({ session, onEnd }: EndButtonProps) {
  return (
    <Button
      variant="default"
      size="compact-xs"
      c="bad"
      aria-label={`End the session of ${authorText(session.madeBy)}`}
      onClick={() => onEnd(session)}
    >
      End
    </Button>
  );
}

interface EndDialogProps {
  readonly session: OpenSession;
  readonly onClose: () => void;
}

function EndDialog({ session: { sessionId, madeBy }, onClose }: EndDialogProps) {
  const queryClient = useQueryClient();
  return (
    <ChangeDialog
      title="End a session"
      confirmLabel={`End the session of ${authorText(madeBy)}`}
      isDestructive
      isOpen
      effects={[
        'Its browser has to sign in again, at the latest 5 seconds later.',
        'The unused sign-in links of the operator become invalid. The operator key stays valid.',
      ]}
      change={() => client.deleteSession({ sessionId })}
      onDone={() => {
        onClose();
        void queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      }}
      onClose={onClose}
    />
  );
}
