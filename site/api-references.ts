// The APIs as folders of the site.

import { type ErrorName, errors } from '../packages/contract/src/errors.ts';
import { type Api, type ApiName, apis, type Operation } from '../packaging/reference/apis.ts';

export interface ApiReference {
  readonly api: Api;
  readonly folder: string;
  /** The page of the manual about this API. */
  readonly manual: string;
}

const manuals: Readonly<Record<ApiName, string>> = {
  purchase: 'docs/client.md',
  events: 'docs/events.md',
  developer: 'docs/developer-api.md',
  operator: 'docs/operating.md',
};

export const apiReferences: readonly ApiReference[] = apis.map((api) => ({
  api,
  folder: `reference/${api.name}-api`,
  manual: manuals[api.name],
}));

/** The page of an error is named like the problem type that its responses carry. */
export const errorPath = (name: ErrorName): string =>
  `reference/errors/${errors[name].type.replace(/^.*#/, '')}.md`;

export const operationPath = ({ folder }: ApiReference, { operationId }: Operation): string =>
  `${folder}/${operationId}.md`;
