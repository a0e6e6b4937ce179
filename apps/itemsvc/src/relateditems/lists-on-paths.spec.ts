import { listsOnPaths } from './lists-on-paths';

describe('lists on the paths of an index', () => {
  it.each<[object, readonly string[], readonly string[]]>([
    [{ a: [1], b: [2] }, ['a', 'b'], ['a', 'b']],
    [{ a: [1], b: 2 }, ['a', 'b'], ['a']],
    [{ a: [{ x: 1, y: 2 }] }, ['a.x', 'a.y'], ['a.x']],
    [{ a: { x: [1], y: [2] }, c: 1 }, ['a.x', 'a.y', 'c'], ['a.x', 'a.y']],
    [{ a: [{ x: [1] }], b: { c: [1] } }, ['a.x', 'b.c', 'd.e'], ['a.x', 'b.c']],
    [{ '.a': [1], a: { b: [] } }, ['.a', 'a.b'], ['.a', 'a.b']],
    [{ a: null, b: 'x' }, ['a.b', 'b.c'], []],
  ])('of %j by %j are %j', (document, paths, expected) => {
    expect(listsOnPaths(document, paths)).toEqual(expected);
  });
});
