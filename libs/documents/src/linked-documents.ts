import { byteSize, type StoredDocument, versionOf } from './document';
import type { DocumentStore, Portion, TargetedQuery } from './document-store';
import { allOf, ParsedFilter } from './filter/ast';
import { parseFilter } from './filter/parser';
import { MOST_READ } from './heavy-answers';
import type { Link, LinkCondition, LinkedPage, LinksOf, LinkTarget, LinkTerm } from './links';
import { parseProjection, project } from './projection';
import { totalFrom } from './text-page';

/** Links that are in memory at a time. */
const LINKS = 20_000;

/** Documents that are asked for at a time. */
const AT_ONCE = 1_000;

type Reads = Pick<DocumentStore, 'find' | 'portion' | 'count' | 'answerBytes'>;

/** A page of linked documents by the reads of any store: for one that cannot join, and for more targets than it joins at once. */
export async function findLinked(store: Reads, { target, ...query }: TargetedQuery, { every, terms }: LinkCondition): Promise<LinkedPage> {
  // A bad filter is refused, whether anything is linked or not.
  const condition = { every, terms: terms.map(({ links, targets }) => ({ links, targets: targets.map((one) => ({ ...one, filter: parsed(one.filter) })) })) };
  const ids = (await store.find(target, { ...query, projection: { _id: 1 } })).map(({ _id }) => _id);
  const total = totalFrom(ids.length, query) ?? (await store.count(target, query.filter ?? {}));
  const kept = await keepLinked(store, ids, condition);
  return { ...(await inOrder(store, { target, ...query }, ids, kept)), total };
}

/** Links by the reads of any store. */
export async function findLinks(store: Pick<Reads, 'find'>, { in: collection, near: { field, names }, far, owners, limit }: LinksOf): Promise<Link[]> {
  if (names.length === 0 || owners.length === 0) return [];
  const projection = Object.fromEntries([field, far.owner, far.partition, far.id].map((name) => [name, 1]));
  const found = await store.find(collection, { filter: own({ [field]: { $in: names }, [far.owner]: { $in: owners } }), projection, limit });
  return found.map((link) => ({ near: String(link[field]), owner: String(link[far.owner]), partition: String(link[far.partition]), id: String(link[far.id]) }));
}

/** Each term is asked of those alone for which it still matters. */
async function keepLinked(store: Reads, ids: readonly string[], { every, terms }: LinkCondition): Promise<readonly string[]> {
  let open = ids;
  for (const term of terms) {
    const linked = await linkedBy(store, open, term);
    open = open.filter((id) => linked.has(id) === every);
  }
  if (every) return open;
  const missed = new Set(open);
  return ids.filter((id) => !missed.has(id));
}

async function linkedBy(store: Reads, ids: readonly string[], term: LinkTerm): Promise<ReadonlySet<string>> {
  const linked = new Set<string>();
  if (ids.length === 0 || term.targets.length === 0) return linked;
  for await (const ends of endsOf(store, ids, term)) {
    for (const { target, partition, nearOf } of ends) {
      const filter = allOf(parsed(target.filter), own({ _id: { $in: [...nearOf.keys()] } }));
      const found = await store.find(versionOf(target.name, partition), { filter, projection: { _id: 1 }, limit: nearOf.size });
      for (const id of found.flatMap(({ _id }) => nearOf.get(_id) ?? [])) linked.add(id);
    }
  }
  return linked;
}

/** What some of the links lead to, in one partition of a target: far ids, each with those at this end. */
interface Ends {
  readonly target: LinkTarget;
  readonly partition: string;
  readonly nearOf: Map<string, string[]>;
}

async function* endsOf(store: Reads, ids: readonly string[], { links: { in: collection, near, far }, targets }: LinkTerm): AsyncGenerator<readonly Ends[], void> {
  const wanted = own({ [near.field]: { $in: ids.map((id) => `${near.prefix}${id}`) }, [far.owner]: { $in: targets.map(({ owner }) => owner) } });
  const projection = Object.fromEntries(['_id', near.field, far.owner, far.partition, far.id].map((field) => [field, 1]));
  for (let after: string | undefined, more = true; more;) {
    const filter = after === undefined ? wanted : allOf(wanted, own({ _id: { $gt: after } }));
    const links = await store.find(collection, { filter, sort: { _id: 1 }, projection, limit: LINKS });
    const ends = new Map<string, Ends>();
    for (const link of links) addEnd(ends, link, { near, far, targets });
    yield [...ends.values()];
    after = links.at(-1)?._id;
    more = links.length === LINKS;
  }
}

function addEnd(ends: Map<string, Ends>, link: StoredDocument, { near, far, targets }: Omit<LinkTerm['links'], 'in'> & Pick<LinkTerm, 'targets'>): void {
  const [nearId, owner, partition, id] = [String(link[near.field]).slice(near.prefix.length), link[far.owner], String(link[far.partition]), String(link[far.id])];
  const target = targets.find((one) => one.owner === owner);
  if (target === undefined) return;
  const end = ends.get(`${target.name} ${partition}`) ?? { target, partition, nearOf: new Map<string, string[]>() };
  ends.set(`${target.name} ${partition}`, end);
  const others = end.nearOf.get(id);
  if (others === undefined) end.nearOf.set(id, [nearId]);
  else others.push(nearId);
}

/** As far as an answer goes. */
async function inOrder(store: Reads, wanted: TargetedQuery, page: readonly string[], kept: readonly string[]): Promise<Pick<LinkedPage, 'documents' | 'isCut' | 'passed'>> {
  const projection = wanted.projection && parseProjection(wanted.projection);
  const documents: StoredDocument[] = [];
  let room = store.answerBytes;
  for await (const { id, document } of readInOrder(store, wanted, kept)) {
    const cut = () => ({ documents, isCut: true, passed: page.indexOf(id) });
    if (document === undefined) return cut();
    const shown = projection ? project(document, projection) : document;
    room -= byteSize(shown);
    if (room < 0 && documents.length > 0) return cut();
    documents.push(shown);
  }
  return { documents };
}

interface ReadDocument {
  readonly id: string;
  /** Missing at the end, where too much has been read before it. */
  readonly document?: StoredDocument;
}

/** A portion is in memory at a time. What is gone, or has left the filter since the page was found, does not come. */
async function* readInOrder(store: Reads, wanted: TargetedQuery, ids: readonly string[]): AsyncGenerator<ReadDocument, void> {
  let toRead = MOST_READ * store.answerBytes;
  for (let next = 0; next < ids.length;) {
    const some = ids.slice(next, next + AT_ONCE);
    if (toRead <= 0) return yield { id: some[0] as string };
    const { documents, isCut } = await portionOf(store, wanted, some);
    for (const document of documents) {
      toRead -= byteSize(document);
      yield { id: document._id, document };
    }
    next += isCut ? some.indexOf(documents.at(-1)?._id as string) + 1 : some.length;
  }
}

/** In the order of the page, so that what is left out lies behind; with its `_id`. */
function portionOf(store: Reads, { target, filter, sort, projection }: TargetedQuery, ids: readonly string[]): Promise<Portion> {
  const among = own({ _id: { $in: ids } });
  const { _id: withId = false, ...others } = projection ?? {};
  const wanted = projection === undefined || withId ? projection : others;
  return store.portion(target, { filter: filter === undefined ? among : allOf(parsed(filter), among), limit: ids.length, ...(sort && { sort }), ...(wanted && { projection: wanted }) });
}

const own = (filter: Record<string, unknown>): ParsedFilter => parseFilter(filter, { unlimited: true });
const parsed = (filter: LinkTarget['filter']): ParsedFilter => (filter instanceof ParsedFilter ? filter : parseFilter(filter));
