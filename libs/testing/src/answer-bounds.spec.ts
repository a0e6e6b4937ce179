import { type AskPage, goThrough, listOperations } from './answer-bounds';
import type { Schema } from './issuing-operations';

const answering = (schema: Schema) => ({ get: { responses: { 200: { content: { 'application/json': { schema } } } } } });

describe('the lists of a service', () => {
  it('are told by what its document says of answers', () => {
    const page = { properties: { _list: { type: 'array' } } };
    const schemas = { Page: page, Wider: { allOf: [{ $ref: '#/components/schemas/Page' }] }, Thing: { properties: { tags: { type: 'array' } } } };
    const paths = {
      '/pages': answering({ $ref: '#/components/schemas/Page' }),
      '/wider': answering({ $ref: '#/components/schemas/Wider' }),
      '/people': answering({ properties: { Resources: { type: 'array' } } }),
      '/arrays': answering({ type: 'array' }),
      '/things/{id}': answering({ $ref: '#/components/schemas/Thing' }),
      '/written': { post: answering(page).get },
      '/refused': { get: { responses: { 400: { content: { 'application/json': { schema: page } } } } } },
    };
    expect(listOperations({ paths, components: { schemas } })).toEqual(['GET /arrays', 'GET /pages', 'GET /people', 'GET /wider']);
  });
});

describe('a list that is gone through', () => {
  const ALL = Array.from({ length: 7 }, (_, n) => ({ n, text: 'x'.repeat(1_000) }));
  const asked = (answer: (offset: number, size: number) => object): AskPage => (_path, { offset, size }) => {
    const body = answer(offset, size);
    return Promise.resolve({ status: 200, body, text: JSON.stringify(body) });
  };
  const cut = (offset: number, more: object = {}) => ({ _offset: offset, _pageSize: 3, _total: ALL.length, _list: ALL.slice(offset, offset + 3), ...more });

  it('is right where its pages are cut, say so, and follow each other', async () => {
    await goThrough('things', 3_100, asked((offset) => cut(offset)));
    await goThrough('people', 3_100, asked((offset) => ({ startIndex: offset + 1, itemsPerPage: Math.min(3, ALL.length - offset), totalResults: ALL.length, Resources: ALL.slice(offset, offset + 3) })));
  });

  it.each([
    ['comes whole', asked((offset, size) => ({ _pageSize: size, _total: ALL.length, _list: ALL.slice(offset) }))],
    ['does not say that it is cut', asked((offset, size) => cut(offset, { _pageSize: size }))],
    ['begins anew', asked(() => cut(0))],
    ['is empty in between', asked((offset) => (offset === 0 ? cut(0) : cut(offset, { _list: [] })))],
    ['is refused', () => Promise.resolve({ status: 400, body: {}, text: '{}' })],
  ] as readonly (readonly [string, AskPage])[])('is wrong where it %s', async (_what, ask) => {
    await expect(goThrough('things', 3_100, ask)).rejects.toThrow();
  });

  it('is wrong where pages are cut and weigh too much still', async () => {
    const heavy = Array.from({ length: 6 }, (_, n) => ({ n, text: 'x'.repeat(20_000) }));
    const ask = asked((offset) => ({ _pageSize: 3, _total: 6, _list: heavy.slice(offset, offset + 3) }));
    await expect(goThrough('things', 20_000, ask)).rejects.toThrow();
    await goThrough('things', 61_000, ask);
  });
});
