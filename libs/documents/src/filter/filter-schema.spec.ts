import { componentSchemas, isTaken } from '@twinyard/testing';
import fc from 'fast-check';
import { FILTER_SCHEMAS } from './filter-schema';
import { parseFilter } from './parser';

const fits = componentSchemas(FILTER_SCHEMAS);

const isParsed = (filter: unknown) => isTaken(() => parseFilter(filter));

const scalar = fc.oneof(fc.constantFrom('', 'a', 'i', 'int'), fc.integer({ min: 1, max: 20 }), fc.boolean(), fc.constant(null));
const field = fc.constantFrom('a', 'b.c');
const OPERATORS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$exists', '$type', '$size', '$mod', '$regex', '$options', '$not', '$all', '$elemMatch', '$where', '$expr', 'x'];

/** Filters, and what looks like them: any operator with any operand. */
const { filter } = fc.letrec<{ filter: unknown; operand: unknown; operators: unknown }>((tie) => ({
  operand: fc.oneof({ depthSize: 'small' }, scalar, fc.array(scalar, { maxLength: 2 }), tie('operators'), tie('filter'), fc.array(tie('operators'), { maxLength: 2 }), fc.array(tie('filter'), { maxLength: 2 })),
  operators: fc.dictionary(fc.constantFrom(...OPERATORS), tie('operand'), { maxKeys: 2 }),
  filter: fc.dictionary(fc.oneof({ weight: 4, arbitrary: field }, fc.constantFrom('$and', '$or', '$nor', '$text', '$where', '$gt')), tie('operand'), { maxKeys: 2 }),
}));

describe('the schema of a filter', () => {
  it('takes what the parser takes, and nothing else', () => {
    fc.assert(fc.property(filter, (some) => {
      expect([some, fits('Filter', some)]).toEqual([some, isParsed(some)]);
    }), { numRuns: 3_000 });
  });

  it.each([
    {}, { 'maker.name': 'Acme', power: { $gt: 2, $lte: 7 } }, { $or: [{ a: 1 }, { b: { $in: [1, [2]] } }] }, { a: { $regex: '^x', $options: 'i' } }, { $text: { $search: 'red "front door"' } },
    { a: { $not: { $size: 2 } } }, { a: { $all: [1, { $elemMatch: { b: 2 } }] } }, { a: { $elemMatch: { $gt: 1, $lt: 3 } } }, { a: { $type: ['string', 2] } }, { a: null }, { a: [1, 2] },
  ])('takes %j', (some) => {
    expect([fits('Filter', some), isParsed(some)]).toEqual([true, true]);
  });

  it.each([
    [], 'a', null, { $where: '1' }, { a: { $where: '1' } }, { a: {} }, { a: { b: 1 } }, { a: { $gt: 1, b: 2 } }, { $and: [] }, { $and: { a: 1 } }, { a: { $options: 'i' } }, { a: { $mod: [2] } },
    { $text: 'red' }, { $text: { $search: 'red', $language: 'en' } }, { a: { $in: 1 } }, { a: { $gt: [1] } }, { a: { $size: -1 } }, { a: { $regex: 'x', $options: 'g' } }, { a: { $type: 'text' } },
    { a: { $all: [{ $gt: 1 }] } },
  ])('refuses %j', (some) => {
    expect([fits('Filter', some), isParsed(some)]).toEqual([false, false]);
  });
});
