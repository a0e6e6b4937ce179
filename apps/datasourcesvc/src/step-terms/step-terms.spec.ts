import { type FieldIssue, forbidden, invalid, notFound } from '@twinyard/conventions';
import { PlatformError } from '../platform-client/platform-error';
import { isRefusedForGood, parseStepTerms, toTaskTerms, waitBeforeNext } from './step-terms';

describe('terms of a step', () => {
  const parse = (task: Record<string, unknown>) => {
    const issues: FieldIssue[] = [];
    const terms = parseStepTerms(task, 'tasks[0]', issues);
    return { terms, fields: issues.map(({ field }) => field) };
  };

  it('are none where a task says nothing of them, and come back as it says them', () => {
    expect(parse({ _retry: null, _timeout: '' })).toEqual({ terms: {}, fields: [] });
    for (const task of [{ _retry: { _max: 3, _backoff: '* * 30' }, _timeout: '0 10 0' }, { _retry: { _max: 0, _backoff: '* 1 *', _on: 'ANY' } }]) {
      const { terms, fields } = parse(task);
      expect([toTaskTerms(terms), fields]).toEqual([task, []]);
    }
    expect(toTaskTerms(parse({ _retry: { _max: 1 } }).terms)).toEqual({ _retry: { _max: 1, _backoff: '* * 1' } });
  });

  it('are refused with every fault', () => {
    expect(parse({ _retry: [], _timeout: 'soon' }).fields).toEqual(['tasks[0]._retry', 'tasks[0]._timeout']);
    expect(parse({ _retry: { _max: 11, _backoff: 30, _on: 'SOME' } }).fields).toEqual(['tasks[0]._retry._backoff', 'tasks[0]._retry._max', 'tasks[0]._retry._on']);
    for (const _max of [-1, 1.5, '3', undefined]) expect(parse({ _retry: { _max } }).fields).toEqual(['tasks[0]._retry._max']);
    expect(parse({ _retry: { _max: 1, _backoff: '25 * *' } }).fields).toEqual(['tasks[0]._retry._backoff']);
  });

  it('wait longer from one attempt to the next, a day at most and a little, and end', () => {
    const retry = { max: 3, backoff: '* * 10' };
    expect([1, 2, 3, 4].map((attempts) => waitBeforeNext(retry, attempts, 0))).toEqual([10_000, 20_000, 40_000, undefined]);
    expect([0, 0.5, 1].map((random) => waitBeforeNext(retry, 1, random))).toEqual([10_000, 11_250, 12_500]);
    expect(waitBeforeNext({ max: 10, backoff: '23 * *' }, 9, 0)).toBe(86_400_000);
    expect([waitBeforeNext({ ...retry, max: 0 }, 1), waitBeforeNext(null, 1)]).toEqual([undefined, undefined]);
    expect(waitBeforeNext({ max: 1, backoff: '* * *' }, 1)).toBe(0);
  });

  it.each([
    [invalid('no roof'), true], [forbidden(), true], [new PlatformError('itemsvc: no', 403), true], [new PlatformError('itemsvc: bad', 400), true],
    [notFound('file', 'x'), false], [new PlatformError('cannot be reached'), false], [new PlatformError('gone', 409), false], [new Error('inside'), false],
  ])('tell what is refused for good: %s', (error, isForGood) => expect(isRefusedForGood(error)).toBe(isForGood));
});
