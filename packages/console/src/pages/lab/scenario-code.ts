// The calls of a scenario as code. A value that an earlier call returns has a name in capital letters.

import { plannedCall } from '../../api/lab.ts';
import { curlOf, typescriptOf, typescriptStart } from '../../parts/call-code.ts';
import type { BackendStep, ScenarioStep } from './scenarios.ts';

export function curlOfSteps(steps: readonly ScenarioStep[]): string {
  return steps
    .map((step) => {
      const code = step.kind === 'call' ? curlOf(plannedCall(step.call({}))) : backendCurl(step);
      return `# ${step.says}\n${code}`;
    })
    .join('\n');
}

export function typescriptOfSteps(steps: readonly ScenarioStep[]): string {
  const calls = steps.map((step) => {
    const code = step.kind === 'call' ? typescriptOf(step.call({})) : backendTypescript(step);
    return `// ${step.says}\n${code}`;
  });
  return [typescriptStart, '', ...calls].join('\n');
}

/** The public listener has another origin, which a page of the operator listener does not know. */
function backendCurl({ method, path }: BackendStep): string {
  return [
    `curl -i ${method === 'GET' ? '' : `-X ${method} `}"$OPENTILL_URL${path}"`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'`,
  ].join(' \\\n');
}

/** With the PurchaseClient of the backend. */
function backendTypescript({ operation, purchaseId }: BackendStep): string {
  return `await purchases.${operation}({ purchaseId: '${purchaseId}' });`;
}
