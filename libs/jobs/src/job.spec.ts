import { z } from 'zod';
import { job, requireTerms } from './job';

const TERMS = { schema: z.object({}), leaseMs: 1_000, longestMs: 60_000, retry: { attempts: 1, firstMs: 1, longestMs: 1 }, concurrency: 1 };

it('refuses a kind that cannot be named, taken over in time, ended or done at all', () => {
  expect(job('filesvc.preview', TERMS)).toMatchObject({ kind: 'filesvc.preview', leaseMs: 1_000 });
  for (const kind of ['preview', 'filesvc.', 'Filesvc.preview', 'filesvc.a b']) expect(() => job(kind, TERMS)).toThrow('no name for a kind');
  expect(() => job('a.b', { ...TERMS, leaseMs: 15_001 })).toThrow('a lease is at most');
  for (const longestMs of [0, 86_400_001]) expect(() => job('a.b', { ...TERMS, longestMs })).toThrow('at most a day');
  expect(() => job('a.b', { ...TERMS, concurrency: 0 })).toThrow('at least one');
  expect(() => job('a.b', { ...TERMS, retry: { ...TERMS.retry, attempts: 0 } })).toThrow('at least one');
});

it('asks the same of terms that settings change', () => {
  expect(() => requireTerms('a.b', { ...TERMS, leaseMs: 60_000 })).toThrow('a.b: a lease is at most');
});

it('takes no schema that reads something else than it writes', () => {
  // @ts-expect-error what is read of a text is a date, and a date is written as a text: read again it is refused
  job('a.b', { ...TERMS, schema: z.string().transform((text) => new Date(text)) });
  job('a.b', { ...TERMS, schema: z.object({ at: z.iso.datetime() }) });
});
