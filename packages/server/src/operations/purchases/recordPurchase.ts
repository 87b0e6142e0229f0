// Records a purchase; repeating the call records nothing twice (docs/decisions/recording-purchases.md).

import { recordPurchase as operation } from '@opentill/contract/operator-api/recordPurchase.ts';
import { findApp } from '../../store/apps/apps.ts';
import { noSuchApp } from '../missing.ts';
import {
  type AnswerOf,
  answered,
  type OperatorHandler,
  operatorHandler,
  type ProblemAnswer,
} from '../operator-handler.ts';
import { shownPurchase } from './purchase-view.ts';
import {
  purchaseRecorder,
  type Recorder,
  type Recording,
  type RecordingRequest,
  subscriptionsNotSold,
} from './record-purchase.ts';

type Answer = AnswerOf<typeof operation>;

export function recordPurchase(recorder: Recorder): OperatorHandler {
  const record = purchaseRecorder(recorder);
  return operatorHandler(operation, async ({ path, body, now, author }): Promise<Answer> => {
    const { packageName } = path;
    const sent = body as RecordingRequest['sent'];
    const recording = await record({ packageName, sent, now, author });
    if (recording.kind === 'unknownProduct') {
      const app = await findApp(recorder.database, packageName);
      return app === undefined
        ? noSuchApp(packageName)
        : unusable('productId', noSuchProduct(sent.productId));
    }
    return answerOf(recording);
  });
}

function answerOf(recording: Exclude<Recording, { kind: 'unknownProduct' }>): Answer {
  switch (recording.kind) {
    case 'recorded':
      return answered(201, shownPurchase(recording.purchase));
    case 'repeated':
      return answered(200, shownPurchase(recording.purchase));
    case 'differs':
      return recordedOtherwise(recording);
    case 'twoRecords': {
      const [byId, byOrder] = recording.purchaseIds;
      const detail = `The purchaseId belongs to purchase ${byId}, the orderId to purchase ${byOrder}.`;
      return { problem: 'conflict', detail };
    }
    case 'unusable':
      return unusable(recording.field, recording.message);
    case 'subscriptionsNotSold':
      return { problem: 'conflict', detail: subscriptionsNotSold };
  }
}

function noSuchProduct(productId: string): string {
  return `expected a product of this app, got ${productId} (create it with putProduct)`;
}

function unusable(field: string, message: string): ProblemAnswer<'invalidRequest'> {
  const errors = [{ path: `/${field}`, message }];
  return { problem: 'invalidRequest', detail: `${field}: ${message}.`, errors };
}

function recordedOtherwise({
  purchaseId,
  fields,
}: Extract<Recording, { kind: 'differs' }>): ProblemAnswer<'conflict'> {
  return {
    problem: 'conflict',
    detail: `Purchase ${purchaseId} is already recorded with a different ${fields.join(', ')}.`,
    errors: fields.map((field) => ({
      path: `/${field}`,
      message: `expected the value of the recorded purchase ${purchaseId}`,
    })),
  };
}
