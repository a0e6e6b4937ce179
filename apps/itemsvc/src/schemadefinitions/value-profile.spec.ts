import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ObjectProfile } from './value-profile';

type Rows = readonly Record<string, unknown>[];

const schemaOf = (rows: Rows) => {
  const profile = new ObjectProfile();
  for (const row of rows) profile.add(row, new Set(['_id']));
  return profile.toSchema();
};
const sample = (name: string) => JSON.parse(readFileSync(join(__dirname, '../../test/sample', name), 'utf8')) as Record<string, unknown>;

describe('what is learnt of values', () => {
  it('is a schema that a person would accept, of the walls, windows and rooms that an import of the sample building makes', () => {
    const { rvt_elements: elements, rvt_element_props: properties } = sample('items.json') as Record<string, Rows>;
    expect({ rvt_elements: schemaOf(elements as Rows), rvt_element_props: schemaOf(properties as Rows) }).toEqual(sample('schema.json'));
  });

  it('lists the values of a text only where there is a choice, and says the one that it always has', () => {
    const repeated = (values: readonly unknown[]) => values.flatMap((v) => [{ v }, { v }, { v }]);
    expect(schemaOf(repeated(['b', 'a']))).toEqual({ _properties: { v: { _type: 'string', _enum: ['a', 'b'] } } });
    expect(schemaOf(repeated(['m²']))).toEqual({ _properties: { v: { _type: 'string', _description: 'always "m²"' } } });
    expect(schemaOf(repeated(['2020-01-02T03:04:05Z']))).toEqual({ _properties: { v: { _type: 'isodate' } } });
    expect(schemaOf([{ v: 'a' }, { v: 'a' }])).toEqual({ _properties: { v: { _type: 'string' } } });
    expect(schemaOf([...repeated(['a']), { v: 1 }])).toEqual({ _properties: { v: { _type: 'string', _description: 'string in 3, number in 1' } } });
  });

  it('says the unit of a measured value where it is one', () => {
    const area = (uom: string) => ({ area: { val: 1, uom } });
    expect(schemaOf([area('m²'), area('m²'), area('m²'), {}])._properties?.['area']).toMatchObject({ _type: 'object', _description: 'unit m²; in 3 of 4' });
    expect(schemaOf([area('m²'), area('m²'), area('ft²')])._properties?.['area']?._description).toBeUndefined();
  });
});
