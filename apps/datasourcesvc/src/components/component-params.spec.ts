import { z } from 'zod';
import { defineComponent } from './component';
import { faultsOfParams, faultsOfSomeParams, readParams, text } from './component-params';
import { schemaOf, shownParameters } from './component-schema';
import { builtInComponents } from './built-in-components';
import type { StepContext } from './step-context';

const component = defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-000000000001', name: 'sample', description: 'Samples',
  params: z.object({
    file: text('The file', { examples: ['a'] }),
    kind: z.enum(['new', 'old']).default('new').meta({ description: 'Which' }),
    most: z.int().min(1).max(9).optional().meta({ description: 'How many' }),
    names: z.array(z.string()).min(1).optional(),
    strict: z.boolean().default(false),
  }),
  conflictsOf: ({ names, strict }) => (names !== undefined && strict === true ? [{ field: 'names', issue: 'is not for what is strict' }] : []),
  faultsOf: ({ kind, most }) => (kind === 'old' && most !== undefined ? [{ field: 'most', issue: 'is for what is new' }] : []),
  run: async (_step, params) => params,
});
const run = (params: object) => component.run({ params } as unknown as StepContext);

describe('parameters of a component', () => {
  it('come to it with their defaults, without what its schema does not name', async () => {
    expect(await run({ file: 'f', most: 3, other: 1 })).toEqual({ file: 'f', kind: 'new', most: 3, strict: false });
  });

  it('count as missing where they are null or an empty text', async () => {
    expect(await run({ file: 'f', kind: '', most: null })).toEqual({ file: 'f', kind: 'new', strict: false });
    await expect(run({ file: '' })).rejects.toThrow('file: is required');
  });

  it('have every fault named at once, in words', () => {
    expect(faultsOfParams(component, { kind: 'odd', most: 1.5, names: [7], strict: 'yes' })).toEqual([
      { field: 'file', issue: 'is required' }, { field: 'kind', issue: 'must be one of new, old' }, { field: 'most', issue: 'must be a whole number' },
      { field: 'names.0', issue: 'must be a text' }, { field: 'strict', issue: 'must be true or false' },
    ]);
    expect(faultsOfParams(component, { file: 7, most: 10, names: [] })).toEqual([
      { field: 'file', issue: 'must be a text' }, { field: 'most', issue: 'must be 9 at most' }, { field: 'names', issue: 'must have 1 at least' },
    ]);
  });

  it('have the faults between them named once each is right', () => {
    expect(faultsOfParams(component, { file: 'f', kind: 'old', most: 1 })).toEqual([{ field: 'most', issue: 'is for what is new' }]);
    expect(() => readParams(component, { file: 'f', kind: 'old', most: 1 })).toThrow('most: is for what is new');
  });

  it('may be missing in part where the rest is yet to come', () => {
    expect(faultsOfSomeParams(component, {})).toEqual([]);
    expect(faultsOfSomeParams(component, { kind: 'old', most: 1 })).toEqual([]);
    expect(faultsOfSomeParams(component, { most: 'many' })).toEqual([{ field: 'most', issue: 'must be a number' }]);
  });

  it('may not be together in some pairs, whatever else is missing', () => {
    expect(faultsOfSomeParams(component, { names: ['a'], strict: true })).toEqual([{ field: 'names', issue: 'is not for what is strict' }]);
    expect(faultsOfParams(component, { file: 'f', names: ['a'], strict: true, kind: 'old', most: 1 })).toEqual([
      { field: 'names', issue: 'is not for what is strict' }, { field: 'most', issue: 'is for what is new' },
    ]);
    expect(faultsOfSomeParams(component, { names: ['a'] })).toEqual([]);
  });

  it('are shown as JSON Schema, and one by one', () => {
    expect(schemaOf(component)).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'sample', type: 'object', required: ['file'],
      properties: { file: { type: 'string', description: 'The file', examples: ['a'] }, kind: { enum: ['new', 'old'], default: 'new' }, most: { type: 'integer', minimum: 1, maximum: 9 } },
    });
    expect(shownParameters(component).map(({ name, type, isRequired }) => [name, type, isRequired])).toEqual([
      ['file', 'string', true], ['kind', 'string', false], ['most', 'integer', false], ['names', 'string[]', false], ['strict', 'boolean', false],
    ]);
  });

  it.each(builtInComponents().map((one) => [one.name, one] as const))('are each described: %s', (_name, one) => {
    for (const { description } of shownParameters(one)) expect(description).toMatch(/./);
  });
});
