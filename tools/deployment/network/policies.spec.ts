import type { Manifest, ManifestSpec } from '../manifests';
import { type Direction, type Endpoint, judgeOf, type Port } from './policies';

const pod = (name: string, namespace = 'home'): Endpoint => ({ name, address: '10.244.0.1', pod: { namespace, labels: { app: name }, namedPorts: { http: 3000 } } });
const [web, store, stranger] = [pod('web'), pod('store'), pod('web', 'elsewhere')];
const [inside, excepted, outside]: Endpoint[] = ['192.0.2.1', '192.0.2.200', '198.51.100.1'].map((address) => ({ name: address, address }));
const all = [web, store, stranger, inside, excepted, outside] as Endpoint[];

const HTTP: Port = { port: 3000, protocol: 'TCP' };
const policy = (spec: ManifestSpec): Manifest => ({ kind: 'NetworkPolicy', metadata: { name: 'one', namespace: 'home' }, spec: { podSelector: { matchLabels: { app: 'store' } }, ...spec } });

/** The names of those that `store` hears, or calls. */
const peers = (spec: ManifestSpec | undefined, direction: Direction = 'Ingress', port = HTTP) => {
  const judge = judgeOf(spec === undefined ? [] : [policy(spec)], all, direction);
  return all.filter((other) => judge(store as Endpoint, other, port)).map(({ name, pod: one }) => (one?.namespace === 'elsewhere' ? `elsewhere/${name}` : name));
};
const EVERYBODY = ['web', 'store', 'elsewhere/web', '192.0.2.1', '192.0.2.200', '198.51.100.1'];
const isOpen = (ports: NonNullable<ManifestSpec['ingress']>[number]['ports'], port: Port) => peers({ ingress: [{ ...(ports && { ports }) }] }, 'Ingress', port).length > 0;

/** As the reference of NetworkPolicy says it, sentence by sentence. */
describe('network policies', () => {
  it('let a pod that none of them selects do anything', () => {
    expect(peers(undefined)).toEqual(EVERYBODY);
    expect(peers({ podSelector: { matchLabels: { app: 'web' } } })).toEqual(EVERYBODY);
  });

  it('let a pod that one selects do what a rule allows, and nothing else', () => {
    expect(peers({ policyTypes: ['Ingress'] })).toEqual([]);
    expect(peers({ podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: { app: 'web' } } }] }] })).toEqual(['web']);
  });

  it('speak of the direction that they name, of Ingress without a word, and of Egress where they have rules for it', () => {
    expect(peers({ policyTypes: ['Egress'] }, 'Ingress')).toEqual(EVERYBODY);
    expect(peers({ policyTypes: ['Egress'] }, 'Egress')).toEqual([]);
    expect(peers({}, 'Ingress')).toEqual([]);
    expect(peers({}, 'Egress')).toEqual(EVERYBODY);
    expect(peers({ egress: [] }, 'Egress')).toEqual([]);
  });

  it('are of their namespace', () => {
    const judge = judgeOf([policy({ podSelector: {} })], all, 'Ingress');
    expect(judge(stranger, web, HTTP)).toBe(true);
    expect(judge(web, stranger, HTTP)).toBe(false);
  });

  it.each<[string, NonNullable<ManifestSpec['ingress']>[number]['from'], string[]]>([
    ['pods of the same namespace', [{ podSelector: {} }], ['web', 'store']],
    ['pods of another', [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'elsewhere' } } }], ['elsewhere/web']],
    ['some pods of all namespaces', [{ namespaceSelector: {}, podSelector: { matchLabels: { app: 'web' } } }], ['web', 'elsewhere/web']],
    ['one or the other', [{ podSelector: { matchLabels: { app: 'store' } } }, { ipBlock: { cidr: '198.51.100.0/24' } }], ['store', '198.51.100.1']],
    ['a network without a part of it', [{ ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.128/25'] } }], ['192.0.2.1']],
    ['everybody, where there is no peer', [], EVERYBODY],
  ])('know as peers %s', (_what, from, expected) => {
    expect(peers({ ingress: [{ ...(from && { from }) }] })).toEqual(expected);
  });

  it.each<[string, 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', string[]]>([
    ['of the values', 'In', ['web', 'store']],
    ['of none of them', 'NotIn', []],
    ['with the label', 'Exists', ['web', 'store']],
    ['without it', 'DoesNotExist', []],
  ])('choose pods %s', (_what, operator, expected) => {
    expect(peers({ ingress: [{ from: [{ podSelector: { matchExpressions: [{ key: 'app', operator, values: ['web', 'store'] }] } }] }] })).toEqual(expected);
  });

  it('allow ports by number, range, name and protocol, and all of them where they name none', () => {
    expect(isOpen(undefined, { port: 9, protocol: 'UDP' })).toBe(true);
    expect(isOpen([{ port: 3000 }], HTTP)).toBe(true);
    expect(isOpen([{ port: 3000 }], { port: 3000, protocol: 'UDP' })).toBe(false);
    expect(isOpen([{ port: 3000 }], { port: 3001, protocol: 'TCP' })).toBe(false);
    expect(isOpen([{ port: 2999, endPort: 3001 }], HTTP)).toBe(true);
    expect(isOpen([{ port: 'http' }], HTTP)).toBe(true);
    expect(isOpen([{ port: 'other' }], HTTP)).toBe(false);
    expect(isOpen([{ protocol: 'UDP' }], { port: 9, protocol: 'UDP' })).toBe(true);
  });

  it('add up', () => {
    const both = [policy({ ingress: [{ from: [{ podSelector: { matchLabels: { app: 'web' } } }] }] }), policy({ ingress: [{ from: [{ ipBlock: { cidr: '198.51.100.0/24' } }] }] })];
    const judge = judgeOf(both, all, 'Ingress');
    expect(all.filter((other) => judge(store as Endpoint, other, HTTP)).map(({ name }) => name)).toEqual(['web', '198.51.100.1']);
  });
});
