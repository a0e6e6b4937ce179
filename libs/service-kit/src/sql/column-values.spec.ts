import { types } from 'pg';
import { columnValues } from './column-values';

const [TIMESTAMPTZ, TEXT_ARRAY, INTEGER] = [1184, 1009, 23];

const read = (type: number, text: string): unknown => (columnValues.getTypeParser(type) as (value: string) => unknown)(text);
const readByDriver = (type: number, text: string): unknown => (types.getTypeParser(type) as (value: string) => unknown)(text);

describe('values of columns', () => {
  it.each([
    '2026-11-22 12:43:47.123+00', '2026-11-22 12:43:47.12+00', '2026-11-22 12:43:47.1+00', '2026-11-22 12:43:47.012+00', '2026-11-22 12:43:47+00', '2026-11-22 12:43:47.123456+00',
    '2024-02-29 23:59:59.999+00', '1969-12-31 23:59:59.9+00', '0044-03-15 00:00:00+00', '0099-01-01 00:00:00+00 BC', '12026-11-22 12:43:47.12+00',
    '2026-11-22 12:43:47.123+02', '2026-11-22 12:43:47.123-03:30', 'infinity', '-infinity',
  ])('the time %s is what the driver makes of it', (text) => {
    expect(read(TIMESTAMPTZ, text)).toEqual(readByDriver(TIMESTAMPTZ, text));
  });

  it.each(['{}', '{a}', '{a,b}', '{é,ß}', '{a b}', '{"a,b",c}', '{"say \\"it\\"","back\\\\slash"}', '{""}', '{NULL}', '{a,null}', '{"NULL"}', '{nullable,annull}', '{{a},{b}}', '[2:3]={a,b}'])(
    'the array %s is what the driver makes of it', (text) => {
      expect(read(TEXT_ARRAY, text)).toEqual(readByDriver(TEXT_ARRAY, text));
    });

  it('says at once what is plain: in UTC, without quotes', () => {
    expect(read(TIMESTAMPTZ, '2026-11-22 12:43:47.05+00')).toEqual(new Date('2026-11-22T12:43:47.050Z'));
    expect(read(TEXT_ARRAY, '{red,blue}')).toEqual(['red', 'blue']);
  });

  it('leaves other types, and what comes in another form, to the driver', () => {
    expect(read(INTEGER, '42')).toBe(42);
    expect(columnValues.getTypeParser(TIMESTAMPTZ, 'binary')).toBe(types.getTypeParser(TIMESTAMPTZ, 'binary'));
  });
});
