// Records that the device has consumed a purchase.

import { client } from '../../api/client.ts';
import type { PurchaseKey } from '../../api/purchase.ts';
import { ChangeDialog } from '../../parts/change-dialog.tsx';

interface ConsumeDialogProps {
  readonly of: PurchaseKey;
  readonly isOpen: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const effects = [
  'The purchase is consumed: the app cannot consume it again, and the customer can buy the product again.',
  'The developer gets the event purchase.consumed.',
];

export function ConsumeDialog({ of, isOpen, onDone, onClose }: ConsumeDialogProps) {
  return (
    <ChangeDialog
      title="Mark a purchase as consumed"
      confirmLabel={`Mark ${of.purchaseId} as consumed`}
      isOpen={isOpen}
      effects={effects}
      change={() => client.recordConsumption({ ...of })}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
