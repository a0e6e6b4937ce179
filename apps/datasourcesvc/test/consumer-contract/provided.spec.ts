import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPECTED, type ExpectedExchange } from './platform-contract';
import { EXPECTED_BY_SCRIPTS } from './script-contract';

interface Operation {
  readonly path: string;
  readonly statuses: readonly string[];
  readonly parameters: readonly string[];
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly responses: object; readonly parameters?: readonly { readonly in: string; readonly name: string }[] }>>>>;
}

/** Those of the provider's committed description that the exchange may be: the same method, at a path like its own. */
function operationsFor({ service, method, path }: ExpectedExchange): Operation[] {
  const { paths } = JSON.parse(readFileSync(join(__dirname, '../../..', service, 'openapi.json'), 'utf8')) as OpenApi;
  return Object.entries(paths).flatMap(([template, methods]) => {
    const operation = methods[method.toLowerCase()];
    if (operation === undefined || !path.test(template.replace(/\{[^}]+\}/g, 'x'))) return [];
    const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    return [{ path: template, statuses: Object.keys(operation.responses), parameters }];
  });
}

describe('what runs and scripts expect of other services', () => {
  it.each([...EXPECTED, ...EXPECTED_BY_SCRIPTS].map((expected) => [expected.name, expected] as const))('is described by them: %s', (_name, expected) => {
    const wanted = expected.parameters.filter((name) => name !== '*');
    const found = operationsFor(expected);
    expect(found.map(({ path }) => path)).not.toEqual([]);
    const missing = found.map(({ statuses, parameters }) => [
      ...(statuses.includes(String(expected.status)) ? [] : [`status ${expected.status}`]), ...wanted.filter((name) => !parameters.includes(name)),
    ]);
    expect(missing).toContainEqual([]);
  });
});
