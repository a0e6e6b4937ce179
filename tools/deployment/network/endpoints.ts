import type { Manifest, Workload } from '../manifests';
import type { Endpoint, Port } from './policies';

/** The namespace of the platform. */
export const HOME = 'twinyard';
/** Where Prometheus runs. */
export const MONITORING = 'monitoring';

export const NAMES: Endpoint = { name: 'kube-dns', address: '10.244.1.1', pod: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } } };
/** A pod that nothing is said of: what is added one day. */
export const NEWCOMER: Endpoint = { name: 'newcomer', address: '10.244.1.2', pod: { namespace: HOME, labels: { 'app.kubernetes.io/name': 'newcomer' } } };
export const PUBLIC: Endpoint = { name: 'public', address: '8.8.8.8' };

/** Of the cluster, of the house, and what clouds tell their machines. */
const PRIVATE: readonly Endpoint[] = ['10.0.0.1', '192.168.0.1', '169.254.169.254'].map((address) => ({ name: address, address }));

/** The name that any pod of a namespace goes by. */
export const podOf = (namespace: string) => `${namespace}/*`;

const anyPodOf = (namespace: string, index: number): Endpoint => ({ name: podOf(namespace), address: `10.244.2.${index + 1}`, pod: { namespace, labels: {} } });

/** All ends that a connection may have: our pods, those of others, and addresses outside. `fronts`: namespaces of those who bring requests in. */
export function endpointsOf(manifests: readonly Manifest[], workloads: readonly Workload[], fronts: readonly string[]): Endpoint[] {
  const own = workloads.map(({ name, labels, pod }, index): Endpoint => {
    const ports = pod.containers.flatMap((container) => container.ports ?? []);
    const namedPorts = Object.fromEntries(ports.flatMap(({ name: portName, containerPort }) => (portName === undefined ? [] : [[portName, containerPort]])));
    return { name, address: `10.244.0.${index + 1}`, pod: { namespace: HOME, labels, namedPorts } };
  });
  const others = [...new Set([...fronts, MONITORING, 'kube-system', 'elsewhere'])].map(anyPodOf);
  return [...own, NEWCOMER, NAMES, ...others, PUBLIC, ...PRIVATE, ...blocksOf(manifests)];
}

/** The networks that policies name, each by its first address; those with exceptions are the public one. */
function blocksOf(manifests: readonly Manifest[]): Endpoint[] {
  const peers = rulesOf(manifests).flatMap(({ from, to }) => [...(from ?? []), ...(to ?? [])]);
  const blocks = new Set(peers.flatMap(({ ipBlock }) => (ipBlock === undefined || ipBlock.except !== undefined ? [] : [ipBlock.cidr])));
  return [...blocks].map((name) => ({ name, address: name.replace(/\d+\/\d+$/, (last) => String(Number.parseInt(last, 10) + 1)) }));
}

export const isBlock = ({ name }: Endpoint) => name.includes('/') && !name.endsWith('/*');

export const rulesOf = (manifests: readonly Manifest[]) =>
  manifests.filter(({ kind }) => kind === 'NetworkPolicy').flatMap(({ spec }) => [...(spec?.ingress ?? []), ...(spec?.egress ?? [])]);

/** Every port that anybody speaks of, and one that nobody does. */
export function portsOf(manifests: readonly Manifest[], workloads: readonly Workload[], called: readonly Port[]): Port[] {
  const opened = workloads.flatMap(({ pod }) => pod.containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort)));
  const ruled = rulesOf(manifests).flatMap(({ ports = [] }) => ports.flatMap(({ port }) => (typeof port === 'number' ? [port] : [])));
  const numbers = new Set([NOBODYS_PORT, ...opened, ...ruled, ...called.map(({ port }) => port)]);
  return [...numbers].flatMap((port) => [{ port, protocol: 'TCP' }, { port, protocol: 'UDP' }] as const);
}

const NOBODYS_PORT = 9;
