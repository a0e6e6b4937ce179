import type { Manifest, ManifestSpec } from '../manifests';

export interface Route {
  readonly path: string;
  readonly service: string;
  readonly port: number;
}

/** How requests come in: an Ingress, or a route of the Gateway API. */
export interface WayIn {
  readonly kind: 'Ingress' | 'HTTPRoute';
  readonly hosts: readonly string[];
  readonly routes: readonly Route[];
  /** Where the proxies run that bring them. */
  readonly namespace: string;
  readonly hasTls: boolean;
  /** Paths that are not taken with all that is below them. */
  readonly narrow: readonly string[];
  /** Paths at which the controller's own time for a request would hold. */
  readonly timed: readonly string[];
}

/** Of controllers for Ingress, by their class. */
const NAMESPACES: Readonly<Record<string, string>> = { nginx: 'ingress-nginx' };
/** The listener that has the certificate. */
export const WITH_TLS = 'https';

/** The ways in of the platform's namespace. */
export const waysIn = (manifests: readonly Manifest[]): WayIn[] => manifests.flatMap(({ kind, spec = {} }) => {
  if (kind === 'Ingress') return [ingressOf(spec, manifests)];
  return kind === 'HTTPRoute' ? [httpRouteOf(spec)] : [];
});

function ingressOf({ rules = [], tls = [], ingressClassName = '' }: ManifestSpec, manifests: readonly Manifest[]): WayIn {
  const hosts = rules.map(({ host = '' }) => host);
  const paths = rules.flatMap(({ http }) => http?.paths ?? []);
  const covered = new Set(tls.filter(({ secretName }) => secretName !== '').flatMap((entry) => entry.hosts));
  return {
    kind: 'Ingress', hosts, namespace: NAMESPACES[ingressClassName] ?? ingressClassName, hasTls: hosts.every((host) => covered.has(host)),
    routes: paths.map(({ path, backend: { service } }) => ({ path, service: service.name, port: service.port.number ?? portOf(manifests, service.name, service.port.name) })),
    narrow: paths.filter(({ pathType }) => pathType !== 'Prefix').map(({ path }) => path), timed: [],
  };
}

function httpRouteOf({ rules = [], parentRefs = [], hostnames = [] }: ManifestSpec): WayIn {
  const matched = rules.flatMap((rule) => (rule.matches ?? []).map(({ path }) => ({ path, rule })));
  return {
    kind: 'HTTPRoute', hosts: hostnames, namespace: parentRefs[0]?.namespace ?? '', hasTls: parentRefs.length > 0 && parentRefs.every(({ sectionName }) => sectionName === WITH_TLS),
    routes: matched.flatMap(({ path, rule }) => (rule.backendRefs ?? []).map(({ name, port }) => ({ path: path.value, service: name, port }))),
    narrow: matched.filter(({ path }) => path.type !== 'PathPrefix').map(({ path }) => path.value),
    timed: matched.filter(({ rule }) => rule.timeouts?.request !== '0s').map(({ path }) => path.value),
  };
}

/** The port of a Service that goes by this name; 0 where there is none. */
function portOf(manifests: readonly Manifest[], service: string, name: string | undefined): number {
  const ports = manifests.find(({ kind, metadata }) => kind === 'Service' && metadata.name === service)?.spec?.ports ?? [];
  return ports.find((port) => port.name === name)?.port ?? 0;
}
