import { GatewayClient } from '../gateway-client';

const ITEMS = '/itemsvc/api/v1/nameduseritems';
const BOUNDARY = 'bench-boundary';

interface Made {
  readonly _list: readonly { readonly _id: string }[];
}

/** One that writes one thing at a time. */
export class SmallClient extends GatewayClient {
  async collection(itemClass: 'NamedUserCollection' | 'NamedTelemetryCollection'): Promise<string> {
    const telemetry = itemClass === 'NamedTelemetryCollection' ? { _tsProperties: { _granularity: 'hours' } } : {};
    const draft = { _name: 'Bench', _shortName: 'bench', _namespaces: [this.owner.namespace], _userType: 'bench', _itemClass: itemClass, _version: { _userAttributes: {} } };
    return firstId(await this.send('POST', ITEMS, JSON.stringify([{ ...draft, ...telemetry }])));
  }

  async create(collection: string, item: object): Promise<string> {
    return firstId(await this.send('POST', pathOf(collection), JSON.stringify([item])));
  }

  get(collection: string, id: string): Promise<string> {
    return this.send('GET', pathOf(collection, `/${id}`));
  }

  replace(collection: string, id: string, item: object): Promise<string> {
    return this.send('PUT', pathOf(collection, `/${id}`), JSON.stringify(item));
  }

  remove(collection: string, id: string): Promise<string> {
    return this.send('DELETE', pathOf(collection, `/${id}`));
  }

  relate(collection: string, from: string, to: string): Promise<string> {
    return this.send('PUT', `${ITEMS}/${collection}/relationships`, JSON.stringify([{ _relatedFromId: from, _relatedToIds: [to], _relatedUserItemDbId: collection }]));
  }

  reading(collection: string, sensor: string, value: number): Promise<string> {
    const _ts = new Date(Date.UTC(2026, 0, 1) + value * 1_000).toISOString();
    return this.send('POST', pathOf(collection, '/readings'), JSON.stringify([{ _ts, _tsMetadata: { _telItemId: sensor, _sourceId: 'bench' }, value }]));
  }

  async folder(name: string): Promise<string> {
    const text = await this.send('POST', `/filesvc/api/v1/files?_name=${encodeURIComponent(name)}&_namespaces=${this.owner.namespace}`);
    return (JSON.parse(text) as { _id: string })._id;
  }

  upload(folder: string, name: string, content: string): Promise<string> {
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    const path = `/filesvc/api/v1/files?_namespaces=${this.owner.namespace}&_parents=${folder}`;
    return this.send('POST', path, `${head}${content}\r\n--${BOUNDARY}--\r\n`, `multipart/form-data; boundary=${BOUNDARY}`);
  }
}

const pathOf = (collection: string, rest = '') => `${ITEMS}/${collection}/relateditems${rest}`;
const firstId = (text: string): string => (JSON.parse(text) as Made)._list[0]?._id ?? '';
