import { meets } from './aggregation/match-in-memory';
import { byteSize, type CollectionRef, type StoredDocument, systemCollection, versionOf } from './document';
import type { Filter, FindQuery, Portion } from './document-store';
import type { ParsedFilter } from './filter/ast';
import { findLinked } from './linked-documents';
import type { LinkCondition } from './links';

const PARENTS = versionOf('parents', 'v');
const ENDS = versionOf('ends', 'v');
const LINKS = systemCollection('links');
const COUNT = 300;
const idOf = (n: number) => `p${String(n).padStart(3, '0')}`;
const isLinked = (n: number) => n % 3 === 1;

/** Documents in memory, in the order of their creation, of which a portion holds a few. */
class Documents {
  readonly answerBytes = 1_000;
  readonly portions: number[] = [];
  readonly held = new Map<string, readonly StoredDocument[]>([
    [PARENTS.name, Array.from({ length: COUNT }, (_, n) => ({ _id: idOf(n), n, text: 'x'.repeat(150) }))],
    [ENDS.name, [{ _id: 'end' }]],
    [LINKS.name, Array.from({ length: COUNT }, (_, n) => n).filter(isLinked).map((n) => ({ _id: `l${idOf(n)}`, from: `v:${idOf(n)}`, toItem: 'a', toVersion: 'v', toId: 'end' }))],
  ]);

  find({ name }: CollectionRef, { filter, skip = 0, limit }: FindQuery): Promise<StoredDocument[]> {
    const { condition } = (filter ?? EVERYTHING) as ParsedFilter;
    return Promise.resolve((this.held.get(name) ?? []).filter((document) => meets(document, condition)).slice(skip, skip + limit));
  }

  async count(target: CollectionRef, filter: Filter): Promise<number> {
    return (await this.find(target, { ...('condition' in filter && { filter }), limit: Infinity })).length;
  }

  async portion(target: CollectionRef, query: FindQuery): Promise<Portion> {
    const found = await this.find(target, query);
    const documents = found.slice(0, 2);
    this.portions.push(documents.length);
    return { documents, isCut: documents.length < found.length };
  }
}

const EVERYTHING = { condition: { kind: 'and', of: [] } };
const linked: LinkCondition = { every: true, terms: [{ links: { in: LINKS, near: { field: 'from', prefix: 'v:' }, far: { owner: 'toItem', partition: 'toVersion', id: 'toId' } }, targets: [{ owner: 'a', name: ENDS.name, filter: {} }] }] };
const linkedOnes = Array.from({ length: COUNT }, (_, n) => n).filter(isLinked);

describe('pages of linked documents by the reads of any store', () => {
  it('hold a portion of them at a time, and ask for none behind an answer that is full', async () => {
    const store = new Documents();
    const { documents, total, isCut, passed } = await findLinked(store, { target: PARENTS, limit: 5_000 }, linked);
    const [first] = documents as [StoredDocument];
    const fitting = Math.floor(store.answerBytes / byteSize(first));
    expect([documents.map(({ n }) => n), total, isCut, passed]).toEqual([linkedOnes.slice(0, fitting), COUNT, true, linkedOnes[fitting]]);
    expect(store.portions.length).toBe(Math.floor(fitting / 2) + 1);
  });

  it('go on behind what came to the end, whatever is kept of it', async () => {
    const found: unknown[] = [];
    for (let skip = 0; skip < COUNT;) {
      const { documents, isCut = false, passed = 0 } = await findLinked(new Documents(), { target: PARENTS, limit: 120, skip }, linked);
      found.push(...documents.map(({ n }) => n));
      skip += isCut ? passed : 120;
    }
    expect(found).toEqual(linkedOnes);
  });

  it('read no more than some answers for a projection that leaves little', async () => {
    const store = new Documents();
    const { documents, isCut, passed } = await findLinked(store, { target: PARENTS, limit: 5_000, projection: { n: 1, _id: 0 } }, linked);
    expect([documents.length, isCut, passed, documents[0]]).toEqual([2 * store.portions.length, true, linkedOnes[documents.length], { n: linkedOnes[0] }]);
    expect(store.portions.length).toBeLessThan(30);
  });

  it('pass over what is gone since the page was found', async () => {
    const store = new Documents();
    const portion = store.portion.bind(store);
    jest.spyOn(store, 'portion').mockImplementationOnce((...wanted) => {
      store.held.set(PARENTS.name, (store.held.get(PARENTS.name) ?? []).filter(({ _id }) => _id !== idOf(4) && _id !== idOf(1)));
      return portion(...wanted);
    });
    const { documents } = await findLinked(store, { target: PARENTS, limit: 12 }, linked);
    expect(documents.map(({ n }) => n)).toEqual([7, 10]);
  });
});
