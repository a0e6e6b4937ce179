import { type Api, type Fields, type Page, until } from '../api';
import type { TourLog } from '../tour-log';
import { ITEMS } from './items';
import type { Project } from './project';


export type MetricValues = Readonly<Record<'FileCount' | 'FileVersionSize' | 'NamedUserCollectionCount' | 'NamedUserCollectionRelatedItemsCount', number>>;

/** Waits until the metrics, which know nothing but events, say what the services themselves say. */
export function compareMetrics({ owner, namespace }: Project, log: TourLog): Promise<MetricValues> {
  return log.step('Metrics equal the truth', async () => {
    const truth = await truthOf(owner);
    return until('the metrics', async () => {
      const measured = await measure(owner, namespace);
      return JSON.stringify(measured) === JSON.stringify(truth) ? measured : undefined;
    });
  }, (values) => Object.entries(values).map(([name, value]) => `${name} ${value}`).join(', '));
}

async function truthOf(owner: Api): Promise<MetricValues> {
  const files = await owner.get<Page<Fields>>('/filesvc/api/v1/files', { _type: 'file', _pageSize: 200 });
  const versions = await Promise.all(files._list.map(({ _id }) => owner.get<Page<Fields>>(`/filesvc/api/v1/files/${String(_id)}/versions`)));
  const collections = await owner.get<Page<Fields>>(ITEMS, { query: { _itemClass: 'NamedUserCollection' }, page: { _pageSize: 1_000 } });
  const counts = await Promise.all(collections._list.map(({ _id }) => owner.get<Page<Fields>>(`${ITEMS}/${String(_id)}/relateditems`, { page: { _pageSize: 0 } })));
  return {
    FileCount: files._total,
    FileVersionSize: versions.flatMap(({ _list }) => _list).reduce((sum, { _fileSize }) => sum + Number(_fileSize), 0),
    NamedUserCollectionCount: collections._total,
    NamedUserCollectionRelatedItemsCount: counts.reduce((sum, { _total }) => sum + _total, 0),
  };
}

async function measure(owner: Api, namespace: string): Promise<MetricValues> {
  const value = (name: string) => latest(owner, name, namespace);
  return {
    FileCount: await value('dtplatform.filesvc.FileCount'),
    FileVersionSize: await value('dtplatform.filesvc.FileVersionSize'),
    NamedUserCollectionCount: await value('dtplatform.itemsvc.NamedUserCollectionCount'),
    NamedUserCollectionRelatedItemsCount: await value('dtplatform.itemsvc.NamedUserCollectionRelatedItemsCount'),
  };
}

export async function latest(api: Api, metric: string, namespace: string): Promise<number> {
  const { metrics } = await api.get<{ metrics: { value: number }[] }>(`/metricsvc/api/v1/metrics/${metric}`, { namespace });
  return metrics.at(-1)?.value ?? 0;
}
