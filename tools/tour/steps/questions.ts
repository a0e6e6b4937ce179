import type { Fields, Page } from '../api';
import type { TourLog } from '../tour-log';
import { ITEMS } from './items';
import type { Project } from './project';
import type { ModelCollections } from './runs';

const WALLS = ['IfcWall', 'IfcWallStandardCase', 'IfcWallElementedCase'];

export interface ModelAnswers {
  readonly totals: Readonly<Record<keyof ModelCollections, number>>;
  readonly storeys: readonly { readonly sourceId: string; readonly name: string }[];
  /** Of the storey with most walls: its walls' GlobalIds and how many properties they have together. */
  readonly wallsOfStorey: { readonly storey: string; readonly walls: readonly string[]; readonly properties: number };
  readonly nested: { readonly property: string; readonly total: number; readonly values: readonly number[] };
}

export async function askModel(project: Project, collections: ModelCollections, log: TourLog): Promise<ModelAnswers> {
  const { owner } = project;
  const related = (kind: keyof ModelCollections, parameters: Fields = {}) =>
    owner.get<Page<Fields>>(`${ITEMS}/${encodeURIComponent(collections[kind])}/relateditems`, parameters as Record<string, object>);
  const kinds = ['rvt_elements', 'rvt_element_props', 'rvt_type_elements', 'ifc_spatial_structure'] as const;
  const totals = await log.step('Count what was imported', async () => {
    const pages = await Promise.all(kinds.map((kind) => related(kind, { page: { _pageSize: 0 } })));
    return Object.fromEntries(kinds.map((kind, index) => [kind, pages[index]?._total ?? 0])) as ModelAnswers['totals'];
  }, (counts) => kinds.map((kind) => `${counts[kind]} ${kind}`).join(', '));
  const storeys = await log.step('List the storeys', async () => {
    const { _list } = await related('ifc_spatial_structure', { query: { ifcClass: 'IfcBuildingStorey' }, sort: { name: 1 }, page: { _pageSize: 1_000 } });
    return _list.map((storey) => ({ sourceId: String(storey['source_id']), name: String(storey['name']) }));
  }, (list) => list.map(({ name }) => name).join(', '));
  const wallsOfStorey = await log.step('$findWithRelated: walls of a storey', () => fullestStorey(project, collections, storeys), ({ storey, walls, properties }) => `${storey}: ${walls.length} walls with ${properties} properties`);
  const nested = await log.step('Filter on a nested property, sorted, paged', () => nestedFilter(related), ({ property, total, values }) => `${total} with ${property} > 0; largest ${values.slice(0, 3).join(', ')}`);
  return { totals, storeys, wallsOfStorey, nested };
}

async function fullestStorey(project: Project, collections: ModelCollections, storeys: ModelAnswers['storeys']): Promise<ModelAnswers['wallsOfStorey']> {
  const answers = [];
  for (const storey of storeys) answers.push({ ...(await wallsOf(project, collections, storey.sourceId)), storey: storey.name });
  return answers.sort((a, b) => b.walls.length - a.walls.length)[0] ?? { storey: '', walls: [], properties: 0 };
}

/** The walls that a storey contains, each with its properties, in one question. */
export async function wallsOf({ owner }: Project, collections: ModelCollections, storeyId: string): Promise<{ walls: string[]; properties: number }> {
  const answer = await owner.post<Page<Fields>>(`${ITEMS}/search`, {
    query: {
      $findWithRelated: {
        parent: { collectionDesc: { _userItemId: collections.rvt_elements }, query: { ifcClass: { $in: WALLS } }, options: { page: { _pageSize: 5_000 } } },
        related: [{ relatedDesc: { _relatedUserType: 'rvt_element_props' }, as: 'props' }],
        relatedFilter: { $and: [{ relatedDesc: { _relatedUserType: 'ifc_spatial_structure', _isInverse: true }, query: { source_id: storeyId } }] },
      },
    },
  });
  const versions = answer._list[0]?.['_versions'] as { _relatedItems: Page<Fields> }[] | undefined;
  const walls = versions?.[0]?._relatedItems._list ?? [];
  const propertiesOf = (wall: Fields) => Object.keys(((wall['props'] as Page<Fields>)._list[0]?.['properties'] as Fields | undefined) ?? {}).length;
  return { walls: walls.map((wall) => String(wall['source_id'])), properties: walls.reduce((sum, wall) => sum + propertiesOf(wall), 0) };
}

type AskRelated = (kind: keyof ModelCollections, parameters: Fields) => Promise<Page<Fields>>;

/** Takes a numeric property of the model at hand, and asks for the five elements that have most of it. */
async function nestedFilter(related: AskRelated): Promise<ModelAnswers['nested']> {
  const { _list } = await related('rvt_element_props', { page: { _pageSize: 200 } });
  const property = numericProperty(_list);
  const path = `properties.${property}.val`;
  const page = await related('rvt_element_props', {
    query: { [path]: { $gt: 0 } }, sort: { [path]: -1 }, project: { [path]: 1 }, page: { _offset: 0, _pageSize: 5 },
  });
  const valueOf = (row: Fields) => Number(((row['properties'] as Record<string, { val: unknown }>)[property] as { val: unknown }).val);
  return { property, total: page._total, values: page._list.map(valueOf) };
}

/** The number that most of these elements have. */
function numericProperty(rows: readonly Fields[]): string {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const [name, { val }] of Object.entries((row['properties'] ?? {}) as Record<string, { val: unknown }>)) {
      if (!name.includes('.') && typeof val === 'number' && val > 0) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (most === undefined) throw new Error('the model has no numeric property');
  return most[0];
}
