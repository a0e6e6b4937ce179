import { randomBytes } from 'node:crypto';
import { Api, type Fields, type Page } from '../../../tour/api';
import type { RunningPlatform } from '../running-platform';
import { makeNeighbour } from '../people';
import type { Scene } from './scene';

const [ITEMS, PASSPORT, NOTIFICATIONS] = ['/itemsvc/api/v1/nameduseritems', '/passportsvc/api/v1', '/notificationsvc/api/v1'];
const [SMALL_ITEMS, LARGE_ITEMS, LARGE_BYTES, READINGS, PART] = [2_000, 12, 8_000_000, 60_000, 10_000];
/** Of loopback, and nobody else's. */
const ADDRESS = '127.0.0.66';

/** Never has enough: strings, lists and buffers, one after the other. */
const SCRIPT = `export default (reading) => {
  const kept = [];
  for (let n = 0; n < 1e9; n += 1) kept.push(n % 3 === 0 ? new Uint8Array(1 << 20) : n % 3 === 1 ? 'x'.repeat(1 << 20) + n : new Array(1 << 16).fill(n));
  return reading;
};`;

/** A tenant with an organization and a project of its own, prepared for the worst: made while nothing is wrong yet. */
export async function makeHostileTenant(platform: RunningPlatform, receiverPort: number): Promise<Scene> {
  const { baseUrl } = platform;
  const { token } = await makeNeighbour(platform);
  const console = new Api(baseUrl, token);
  const organizations = await console.get<Page<Fields>>(`${PASSPORT}/organizations`);
  const workspaces = await console.post<Page<Fields>>(`${PASSPORT}/workspaces`, [{
    _name: 'Hostile', _shortName: 'hostile', _userType: 'project_workspace', _orgId: organizations._list[0]?.['_id'],
  }]);
  const namespace = String((workspaces._list[0]?.['_namespaces'] as string[])[0]);
  const owner = console.inProject(namespace);
  const folder = String((await owner.post('/filesvc/api/v1/files', undefined, { _name: 'Hostile', _namespaces: namespace }))['_id']);
  const items = await makeItems(owner, namespace);
  await makeWebhook(owner, namespace, receiverPort);
  return { origin: baseUrl.replace('localhost', '127.0.0.1'), address: ADDRESS, token, namespace, receiverPort, folder, ...items };
}

type Items = Pick<Scene, 'collection' | 'large' | 'telemetry' | 'sensor' | 'history'>;

async function makeItems(owner: Api, namespace: string): Promise<Items> {
  const make = async (_itemClass: string, _userType: string, extra: Fields = {}): Promise<Fields> => {
    const draft = { _name: _userType, _shortName: _userType, _namespaces: [namespace], _userType, _itemClass, _version: { _userAttributes: {} } };
    return (await owner.post<Page<Fields>>(ITEMS, [{ ...draft, ...extra }]))._list[0] as Fields;
  };
  const rest = (of: Fields, path: string) => `${ITEMS}/${String(of['_id'])}/relateditems${path}`;
  const collection = await make('NamedUserCollection', 'small');
  await owner.post(rest(collection, '/bulk'), Array.from({ length: SMALL_ITEMS }, (_, n) => ({ n, text: `${'ab'.repeat(n % 200)}c${n}` })));
  const large = await make('NamedUserCollection', 'large');
  for (let n = 0; n < LARGE_ITEMS; n += 1) await owner.post(rest(large, '/bulk'), [{ n, text: randomBytes(LARGE_BYTES / 2).toString('hex') }]);
  const hours = { _tsProperties: { _granularity: 'hours' } };
  const [history, telemetry] = [await make('NamedTelemetryCollection', 'history', hours), await make('NamedTelemetryCollection', 'metered', hours)];
  const sensorOf = async (of: Fields) => (await owner.post<Page<Fields>>(rest(of, ''), [{ _sourceId: 's1' }]))._list[0] as Fields;
  const [past, sensor] = [await sensorOf(history), await sensorOf(telemetry)];
  for (let from = 0; from < READINGS; from += PART) {
    const readings = Array.from({ length: PART }, (_, n) => readingAt(past, from + n));
    await owner.post(rest(history, '/readings'), readings);
  }
  await make('Script', 'normalize', { _version: { _userData: SCRIPT } });
  await owner.post('/itemsvc/api/v1/telemetryconfigs', {
    _name: 'Hungry', _shortName: 'hungry', _userType: 'telemetry', _namespaces: [namespace],
    _configData: { _bindings: [{ collectionDesc: { _userType: 'metered' } }], _normalizationScript: { _userType: 'normalize' } },
  });
  return { collection, large, telemetry, sensor, history };
}

const readingAt = (sensor: Fields, n: number): Fields => ({
  _ts: new Date(Date.UTC(2025, 0, 1) + n * 60_000).toISOString(), _tsMetadata: { _telItemId: sensor['_id'], _sourceId: sensor['_sourceId'] }, value: n % 977,
});

/** Each new file is posted to the receiver that drips. */
async function makeWebhook(owner: Api, namespace: string, port: number): Promise<void> {
  const make = async (kind: string, body: Fields) => String((await owner.post(`${NOTIFICATIONS}/${kind}`, { _namespaces: [namespace], ...body }))['_id']);
  const sender = await make('sender', { _name: 'Hostile', _transport: 'WEBHOOK', _webhook: { _userAgent: 'hostile' } });
  const template = await make('template', { _name: 'Hostile', _transport: 'WEBHOOK', _webhook: { _body: { file: '$request.resource._name' } } });
  const group = await make('group', { _name: 'Hostile' });
  const device = await make('device', { _transport: 'WEBHOOK', _webhook: { _url: `http://127.0.0.1:${port}/drip` } });
  await make('subscription', { _group: { _id: group }, _device: { _id: device } });
  await make('trigger', {
    _name: 'Hostile', _type: 'EVENT', _event: { _filters: { filter: { 'resource.type': 'filesvc.File' } } },
    _senders: [{ _id: sender }], _templates: [{ _id: template }], _groups: [{ _id: group }],
  });
}
