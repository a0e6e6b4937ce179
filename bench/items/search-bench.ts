import type { BenchRow } from '../bench-table';
import { compare, timeRow } from './comparison';
import type { DataSet } from './data-set';
import type { ComparedBench } from './items-bench';

const PARENTS = 1_000;
/** Largest page of itemsvc. */
const PAGE = 5_000;
/** Searches take long: a few tell enough. */
const REQUESTS = 5;

interface Found {
  readonly _list: readonly { readonly _versions: readonly { readonly _relatedItems: { readonly _total: number; readonly _filteredSize?: number; readonly _list: readonly Record<string, { readonly _total: number }>[] } }[] }[];
}

/** Parents with two aliases, beside the same three queries by the driver; and parents kept by what is related to them. */
export async function benchSearch({ direct, bare, options, time }: ComparedBench, { elements, rooms, systems }: DataSet): Promise<BenchRow[]> {
  const { rounds } = options;
  const alias = (as: 'rooms' | 'systems') => ({ relatedDesc: { _relatedUserType: as }, as });
  const collectionDesc = { _id: elements.id };
  const parent = (pageSize: number, offset = 0) => ({ collectionDesc, options: { page: { _offset: offset, _pageSize: pageSize } } });
  const withRelated = { parent: parent(PARENTS), related: [alias('rooms'), alias('systems')] };
  checkRelated(await direct.search(withRelated));
  const found = await compare({
    bare: () => bare.findWithRelated(elements.versionId, [rooms.versionId, systems.versionId], PARENTS),
    direct: () => direct.search(withRelated),
  }, { requests: REQUESTS, connections: 1, rounds, time });
  const filter = (offset: number) => ({
    parent: { ...parent(PAGE, offset), options: { project: { tag: 1 }, page: { _offset: offset, _pageSize: PAGE } } },
    relatedFilter: { $and: [{ relatedDesc: { _relatedUserType: 'rooms' }, query: { ifcClass: 'IfcSpace' } }, { relatedDesc: { _relatedUserType: 'systems' }, query: { 'storey.name': 'Level 3' } }] },
  });
  const pages = Math.ceil(elements.size / PAGE);
  const all = async () => {
    for (let page = 0; page < pages; page += 1) await direct.search(filter(page * PAGE));
  };
  const onePage = await compare({ direct: () => direct.search(filter(0)) }, { requests: REQUESTS, connections: 1, rounds, time });
  const allPages = await compare({ direct: all }, { requests: 1, connections: 1, rounds: 1, time });
  return [
    ...timeRow(`$findWithRelated of ${PARENTS} parents with two aliases`, found.direct, found.bare, '<= 120 ms'),
    ...timeRow(`relatedFilter of two terms, a page of ${PAGE} out of ${elements.size.toLocaleString('en')} parents`, onePage.direct, undefined),
    ...timeRow(`relatedFilter of two terms, all ${elements.size.toLocaleString('en')} parents in ${pages} pages`, allPages.direct, undefined, '<= 1,500 ms'),
  ];
}

function checkRelated(text: string): void {
  const rows = (JSON.parse(text) as Found)._list[0]?._versions[0]?._relatedItems._list ?? [];
  const complete = rows.length === PARENTS && rows.every(({ rooms, systems }) => rooms?._total === 2 && systems?._total === 2);
  if (!complete) throw new Error('the search does not find what was stored');
}
