import type { StoredDocument } from './document';
import { Snapshot, streamOf } from './snapshot';

/** A snapshot of two documents, of which is counted how often it was opened and closed. */
function counted() {
  const seen = { opened: 0, closed: 0 };
  class Counted extends Snapshot {
    override async *documents(): AsyncGenerator<readonly StoredDocument[], void> {
      yield [{ _id: 'a' }];
      yield [{ _id: 'b' }];
    }

    override async *readings(): AsyncGenerator<never, void> {
      throw new Error('There are none');
    }

    override async close(): Promise<void> {
      seen.closed += 1;
    }
  }
  const open = async () => {
    seen.opened += 1;
    return new Counted();
  };
  return { seen, open };
}

const target = { name: 'things', partition: 'v' };

describe('a stream', () => {
  it('opens nothing before somebody reads, and nothing at all where nobody does', async () => {
    const { seen, open } = counted();
    const [read, unread] = [streamOf(open, (snapshot) => snapshot.documents(target, {})), streamOf(open, (snapshot) => snapshot.documents(target, {}))];
    expect(seen).toEqual({ opened: 0, closed: 0 });
    for await (const some of read) expect(some).toHaveLength(1);
    await unread.return();
    expect(seen).toEqual({ opened: 1, closed: 1 });
  });

  it('closes what it has opened when its reader leaves it, and when it fails', async () => {
    const { seen, open } = counted();
    const left = streamOf(open, (snapshot) => snapshot.documents(target, {}));
    expect(await left.next()).toEqual({ done: false, value: [{ _id: 'a' }] });
    await left.return();
    expect(seen).toEqual({ opened: 1, closed: 1 });
    await expect(streamOf(open, (snapshot) => snapshot.readings(target, {})).next()).rejects.toThrow('There are none');
    expect(seen).toEqual({ opened: 2, closed: 2 });
  });
});
