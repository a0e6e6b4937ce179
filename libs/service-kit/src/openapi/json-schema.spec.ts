import { asJsonSchema } from './json-schema';

describe('schemas of OpenAPI 3.1', () => {
  it.each([
    ['a type', { type: 'string', nullable: true, maxLength: 3 }, { type: ['string', 'null'], maxLength: 3 }],
    ['one that takes no null', { type: 'string', nullable: false }, { type: 'string' }],
    ['some values', { type: 'string', nullable: true, enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }],
    ['another schema', { nullable: true, $ref: '#/a' }, { anyOf: [{ $ref: '#/a' }, { type: 'null' }] }],
    ['deeper ones', { properties: { a: { type: 'number', nullable: true } }, items: [{ type: 'object', nullable: true }] }, { properties: { a: { type: ['number', 'null'] } }, items: [{ type: ['object', 'null'], additionalProperties: true }] }],
    ['an object of anything', { type: 'object' }, { type: 'object', additionalProperties: true }],
    ['an object of some properties', { type: 'object', properties: {} }, { type: 'object', properties: {} }],
    ['an example, which is none', { example: { type: 'object', nullable: true } }, { example: { type: 'object', nullable: true } }],
    ['a property of this name', { properties: { nullable: { type: 'boolean' } } }, { properties: { nullable: { type: 'boolean' } } }],
    ['what is none', null, null],
  ])('are those of JSON Schema: %s', (_what, before, after) => expect(asJsonSchema<unknown>(before)).toEqual(after));
});
