import { processorTime } from '@twinyard/testing';
import { compileFilter, filterIssues } from './trigger-filter';

const event = {
  event: 'resource.ResourceCreated',
  resource: { type: 'filesvc.File', _name: 'duplex.ifc', _tags: ['model', 'north wing'], _tipVersion: 3, _parents: [] },
};
const matches = (filter: Record<string, string>) => compileFilter({ filter })(event);

describe('a trigger filter', () => {
  it('wants all of its conditions', () => {
    expect(matches({ event: 'resource.ResourceCreated', 'resource.type': 'filesvc.File' })).toBe(true);
    expect(matches({ event: 'resource.ResourceCreated', 'resource.type': 'itemsvc.Version' })).toBe(false);
  });

  it.each([
    ['filesvc.*', true], ['*.File', true], ['*', true], ['f*c.F*e', true], ['file*svc*', true], ['filesvc.*File*x', false], ['filesvc', false], ['*.Fil', false],
  ])('takes a star for any run of characters: %s', (pattern, expected) => {
    expect(matches({ 'resource.type': pattern })).toBe(expected);
  });

  it('does not let the two ends of a pattern share characters', () => {
    expect(compileFilter({ filter: { a: 'ab*ba' } })({ a: 'aba' })).toBe(false);
  });

  it('matches any entry of an array, numbers as text, and nothing that is not there', () => {
    expect(matches({ 'resource._tags': 'north*' })).toBe(true);
    expect(matches({ 'resource._tipVersion': '3' })).toBe(true);
    expect(matches({ 'resource._parents': '*' })).toBe(false);
    expect(matches({ 'resource.nothing.here': '*' })).toBe(false);
    expect(matches({ 'resource.constructor.name': '*' })).toBe(false);
  });

  it('is not slowed by many stars', async () => {
    const match = () => compileFilter({ filter: { a: '*a'.repeat(200) + '*b' } })({ a: 'a'.repeat(100_000) });
    expect(await processorTime(match, 1_000)).toBeLessThan(1_000);
  });

  it.each([undefined, 'x', {}, { filter: {} }, { filter: { a: 1 } }, { filter: ['a'] }])('refuses %j', (filters) => {
    expect(filterIssues(filters)).not.toEqual([]);
  });
});
