import { SERVICES } from '@twinyard/conventions';
import { ownerOf } from '../../platform/gateway/routing';
import { isSelected, type Listener, type Manifest } from '../manifests';
import { WITH_TLS, type WayIn, waysIn } from './ways-in';

const ROUTES = ['/', '/nameduseritems', ...SERVICES.map((service) => `/${service}`)];

/** There is one way in, and it leads where the gateway would, under the host name of `BASE_URL`. */
export function routeFaults(manifests: readonly Manifest[], baseUrl: string, needsTls: boolean): string[] {
  const ways = waysIn(manifests);
  if (ways.length !== 1) return [`there are ${ways.length} ways in`];
  return ways.flatMap((way) => [
    ...way.routes.filter(({ path, service }) => (ownerOf(path) ?? 'gateway') !== service).map(({ path, service }) => `${path} does not belong to ${service}`),
    ...ROUTES.filter((path) => !way.routes.some((route) => route.path === path)).map((path) => `nobody serves ${path}`),
    ...way.routes.filter(({ service, port }) => !hasPort(manifests, service, port)).map(({ path, service, port }) => `${path} leads to a port that ${service} has not, ${port}`),
    ...way.narrow.map((path) => `what is below ${path} is not served`),
    ...way.timed.map((path) => `${path} has the controller's own time for a request`),
    ...hostFaults(way, baseUrl),
    ...(needsTls && !way.hasTls ? [`${way.hosts.join()} is served without TLS`] : []),
  ]);
}

const hasPort = (manifests: readonly Manifest[], service: string, port: number) =>
  manifests.some(({ kind, metadata, spec }) => kind === 'Service' && metadata.name === service && spec?.ports?.some((one) => one.port === port));

/** Sign-in is refused under any other. */
function hostFaults({ hosts }: WayIn, baseUrl: string): string[] {
  const { hostname } = new URL(baseUrl);
  return hosts.length === 1 && hosts[0] === hostname ? [] : [`${hosts.join()} is not the host of BASE_URL, ${hostname}`];
}

/** The Gateway that is there for clusters without one takes the routes of an overlay, by TLS alone. */
export function clusterGatewayFaults(gateway: readonly Manifest[], overlay: readonly Manifest[]): string[] {
  const parents = overlay.filter(({ kind }) => kind === 'HTTPRoute').flatMap(({ metadata, spec }) => (spec?.parentRefs ?? []).map((parent) => ({ ...parent, home: metadata.namespace ?? '' })));
  return [
    ...parents.filter(({ name, namespace, sectionName, home }) => !listenersOf(gateway, name, namespace).some((one) => one.name === sectionName && takes(one, home))).map(({ namespace, name, sectionName }) => `${namespace}/${name} has no listener ${sectionName} for the routes`),
    ...listenersOf(gateway).filter((one) => one.protocol !== 'HTTPS' && one.allowedRoutes?.namespaces?.from !== 'Same').map(({ name }) => `the listener ${name} takes routes without TLS`),
    ...listenersOf(gateway).filter((one) => one.name === WITH_TLS && !isTerminated(one)).map(({ name }) => `the listener ${name} has no certificate`),
    ...(gateway.some(leadsToTls) ? [] : ['nothing leads from http to https']),
  ];
}

const listenersOf = (manifests: readonly Manifest[], name?: string, namespace?: string) => manifests
  .filter(({ kind, metadata }) => kind === 'Gateway' && (name === undefined || (metadata.name === name && metadata.namespace === namespace)))
  .flatMap(({ spec }) => spec?.listeners ?? []);

const takes = ({ allowedRoutes }: Listener, namespace: string) =>
  allowedRoutes?.namespaces?.from === 'Selector' && isSelected(allowedRoutes.namespaces.selector ?? {}, { 'kubernetes.io/metadata.name': namespace });

const isTerminated = ({ protocol, tls }: Listener) => protocol === 'HTTPS' && tls?.mode === 'Terminate' && (tls.certificateRefs ?? []).length > 0;

const leadsToTls = ({ kind, spec }: Manifest) => kind === 'HTTPRoute' && spec?.parentRefs?.every(({ sectionName }) => sectionName === 'http') === true &&
  spec.rules?.every(({ filters = [] }) => filters.some(({ requestRedirect }) => requestRedirect?.scheme === 'https')) === true;
