// The months of a subscription that a call is about, by their periodIndex.

import Type from 'typebox';
import { periodIndexMax } from './limits.ts';

const bound = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: periodIndexMax, description }));

export const periodRange = {
  fromPeriod: bound('The first periodIndex.'),
  toPeriod: bound('The last periodIndex (inclusive).'),
};
