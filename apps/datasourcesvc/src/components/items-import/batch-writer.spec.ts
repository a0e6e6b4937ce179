import { PlatformError } from '../../platform-client/platform-error';
import { BatchWriter } from './batch-writer';

interface Sent {
  readonly n: number;
}

/** Refuses what `faultOf` has a word for: by its place, or, where it is `?`, without one. */
function writerFor(faultOf: (n: number) => string | undefined) {
  const sent: number[][] = [];
  const keys: string[] = [];
  const upsertItems = async (_item: string, _version: string, json: string, { idempotencyKey }: { readonly idempotencyKey: string }) => {
    const items = JSON.parse(json) as Sent[];
    sent.push(items.map(({ n }) => n));
    keys.push(idempotencyKey);
    const faults = items.map(({ n }) => faultOf(n));
    const details = faults.flatMap((fault, index) => (fault === undefined || fault === '?' ? [] : [{ field: `[${index}].a`, issue: fault }]));
    if (details.length > 0) throw new PlatformError('some', 400, undefined, details);
    if (faults.includes('?')) throw new PlatformError('itemsvc: one of them', 409);
    return { _new: items.length, _changed: 0, _unchanged: 0, _kept: 0 };
  };
  return { sent, keys, writer: new BatchWriter({ upsertItems }, { itemId: 'i', versionId: 'v', onConflict: 'merge', stepId: 'step' }) };
}

const rows = (...ns: number[]) => ns.map((n) => ({ line: n * 10, json: JSON.stringify({ n }) }));

describe('a batch of rows', () => {
  it('is written at once, under a key that says which it is', async () => {
    const { sent, keys, writer } = writerFor(() => undefined);
    expect(await writer.write(rows(1, 2, 3))).toEqual({ written: { new: 3, changed: 0, unchanged: 0, kept: 0 }, refused: [] });
    await writer.write(rows(1, 2, 3));
    await writer.write(rows(4));
    await writer.write([]);
    expect(sent).toEqual([[1, 2, 3], [1, 2, 3], [4]]);
    expect([keys[0] === keys[1], keys[0] === keys[2], keys[0]]).toEqual([true, false, expect.stringMatching(/^step 10 [0-9a-f]{32}$/)]);
  });

  it('is written without those that are named', async () => {
    const { sent, writer } = writerFor((n) => (n % 2 === 0 ? 'is even' : undefined));
    expect(await writer.write(rows(1, 2, 3, 4))).toEqual({ written: { new: 2, changed: 0, unchanged: 0, kept: 0 }, refused: [{ row: 20, reason: 'a: is even' }, { row: 40, reason: 'a: is even' }] });
    expect(sent).toEqual([[1, 2, 3, 4], [1, 3]]);
  });

  it('is halved where nobody says which row it is', async () => {
    const { sent, writer } = writerFor((n) => (n === 3 ? '?' : undefined));
    expect(await writer.write(rows(1, 2, 3, 4, 5))).toEqual({ written: { new: 4, changed: 0, unchanged: 0, kept: 0 }, refused: [{ row: 30, reason: 'itemsvc: one of them' }] });
    expect(sent).toEqual([[1, 2, 3, 4, 5], [1, 2, 3], [1, 2], [3], [4, 5]]);
  });

  it('ends the step where it is not the rows', async () => {
    const { sent, writer } = writerFor(() => '?');
    await expect(writer.write(rows(...Array.from({ length: 64 }, (_, n) => n)))).rejects.toThrow('one of them');
    expect(sent.length).toBeLessThan(100);
    const upsertItems = async () => {
      throw new PlatformError('itemsvc: You do not have the permission for this', 403);
    };
    await expect(new BatchWriter({ upsertItems }, { itemId: 'i', versionId: 'v', onConflict: 'merge', stepId: 's' }).write(rows(1, 2))).rejects.toMatchObject({ status: 403 });
  });
});
