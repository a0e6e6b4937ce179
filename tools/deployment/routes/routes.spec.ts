import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../checks/repository/repository';
import { brokenDocument } from '../broken-document';
import { buildClusterGateway, buildOverlay, buildWithOtherWayIn, installedTool, parseManifests } from '../manifests';
import { clusterGatewayFaults, routeFaults } from './route-faults';
import { waysIn } from './ways-in';

const root = repositoryRoot();
const kustomize = installedTool(root, 'kustomize');
const BASE_URL = 'https://twinyard.example.com';

describe('the two ways in', () => {
  const wayOf = (file: string) => waysIn(parseManifests(readFileSync(join(root, 'k8s', 'components', file), 'utf8')));
  const placesOf = (file: string) => wayOf(file).flatMap(({ routes }) => routes.map(({ path, service }) => `${path} ${service}`)).sort();

  it('lead to the same places', () => {
    expect(placesOf('routes/routes.yaml')).toHaveLength(9);
    expect(placesOf('routes/routes.yaml')).toEqual(placesOf('ingress/ingress.yaml'));
  });

  it('tell where their proxies run, and whether they have TLS', () => {
    expect(wayOf('routes/routes.yaml')).toMatchObject([{ kind: 'HTTPRoute', namespace: 'twinyard-gateway', hasTls: true, narrow: [], timed: [] }]);
    expect(wayOf('ingress/ingress.yaml')).toMatchObject([{ kind: 'Ingress', namespace: 'ingress-nginx', hasTls: false, narrow: [], timed: [] }]);
  });
});

/** Where kustomize is not installed, CI installs it for its check of the manifests, which asks all of this again. */
if (kustomize !== undefined) describeRoutes(kustomize);

function describeRoutes(program: string): void {
  describe('the routes of the prod overlay', () => {
    let [byRoutes, byIngress, gateway] = ['', '', ''];
    beforeAll(() => {
      [byRoutes, byIngress, gateway] = [buildOverlay(root, program, 'prod'), buildWithOtherWayIn(root, program, 'prod'), buildClusterGateway(root, program)];
    });
    const faultsOf = (text: string) => routeFaults(parseManifests(text), BASE_URL, true);

    it('come in by the Gateway API, or by an Ingress where one word is changed, and lead where the gateway would', () => {
      expect(byRoutes).toContain('kind: HTTPRoute');
      expect(byRoutes).not.toContain('kind: Ingress\n');
      expect(faultsOf(byRoutes)).toEqual([]);
      expect(byIngress).toContain('kind: Ingress\n');
      expect(byIngress).not.toContain('kind: HTTPRoute');
      expect(faultsOf(byIngress)).toEqual([]);
    });

    it.each<[string, string | RegExp, string, string]>([
      ['one to somebody else', /name: itemsvc(?=\s+port: 3000\s+matches:\s+- path:\s+type: PathPrefix\s+value: \/itemsvc)/, 'name: filesvc', '/nameduseritems does not belong to filesvc'],
      ['one too few', /value: \/aisvc/, 'value: /aisvc2', 'nobody serves /aisvc'],
      ['a port that nobody has', 'port: 3000', 'port: 3001', '/passportsvc leads to a port that passportsvc has not, 3001'],
      ['a path alone', 'type: PathPrefix', 'type: Exact', 'what is below /passportsvc is not served'],
      ['a time for a request', 'request: 0s', 'request: 10s', "/passportsvc has the controller's own time for a request"],
      ['no time', /timeouts:\n +request: 0s/, 'name: untimed', "/passportsvc has the controller's own time for a request"],
      ['another host', '- twinyard.example.com', '- other.example.com', 'other.example.com is not the host of BASE_URL, twinyard.example.com'],
      ['any host', /hostnames:\n +- twinyard.example.com/, 'hostnames: []', ' is not the host of BASE_URL, twinyard.example.com'],
      ['another listener', 'sectionName: https', 'sectionName: http', 'twinyard.example.com is served without TLS'],
      ['every listener', /\n +sectionName: https/, '', 'twinyard.example.com is served without TLS'],
    ])('of the Gateway API are refused with %s', (...[, what, by, fault]) => {
      expect(faultsOf(brokenDocument(byRoutes, 'HTTPRoute/twinyard', what, by))).toContain(fault);
    });

    it.each<[string, string | RegExp, string, string]>([
      ['one to somebody else', /name: itemsvc(?=\s+port:\s+name: http\s+path: \/nameduseritems)/, 'name: filesvc', '/nameduseritems does not belong to filesvc'],
      ['a port that nobody has', 'name: http\n', 'name: other\n', '/passportsvc leads to a port that passportsvc has not, 0'],
      ['a path alone', 'pathType: Prefix', 'pathType: Exact', 'what is below /passportsvc is not served'],
      ['another host', 'host: twinyard.example.com', 'host: other.example.com', 'other.example.com is not the host of BASE_URL, twinyard.example.com'],
      ['no TLS', /^ {2}tls:\n[^]*/m, '', 'twinyard.example.com is served without TLS'],
    ])('of an Ingress are refused with %s', (...[, what, by, fault]) => {
      expect(faultsOf(brokenDocument(byIngress, 'Ingress/twinyard', what, by))).toContain(fault);
    });

    it('are there, and not twice', () => {
      expect(faultsOf(brokenDocument(byRoutes, 'HTTPRoute/twinyard', 'kind: HTTPRoute', 'kind: GRPCRoute'))).toEqual(['there are 0 ways in']);
      expect(faultsOf(`${byRoutes}---\n${byIngress}`)).toEqual(['there are 2 ways in']);
    });

    describe('the Gateway for clusters without one', () => {
      const gatewayFaultsOf = (text: string, overlay = byRoutes) => clusterGatewayFaults(parseManifests(text), parseManifests(overlay));

      it('takes the routes of the platform, by TLS alone', () => {
        expect(gatewayFaultsOf(gateway)).toEqual([]);
        expect(gatewayFaultsOf(gateway, byIngress)).toEqual([]);
      });

      it.each<[string, string, string | RegExp, string, string]>([
        ['another name', 'Gateway/twinyard', '  name: twinyard\n', '  name: other\n', 'twinyard-gateway/twinyard has no listener https for the routes'],
        ['routes of others', 'Gateway/twinyard', 'kubernetes.io/metadata.name: twinyard\n', 'kubernetes.io/metadata.name: other\n', 'twinyard-gateway/twinyard has no listener https for the routes'],
        ['a listener without TLS', 'Gateway/twinyard', 'from: Same', 'from: All', 'the listener http takes routes without TLS'],
        ['no certificate', 'Gateway/twinyard', /certificateRefs:\n +- name: twinyard-tls/, 'certificateRefs: []', 'the listener https has no certificate'],
        ['TLS that goes through', 'Gateway/twinyard', 'mode: Terminate', 'mode: Passthrough', 'the listener https has no certificate'],
        ['nothing that leads to TLS', 'HTTPRoute/to-https', 'scheme: https', 'scheme: http', 'nothing leads from http to https'],
      ])('is refused with %s', (...[, document, what, by, fault]) => {
        expect(gatewayFaultsOf(brokenDocument(gateway, document, what, by))).toContain(fault);
      });
    });
  });
}
