import { repositoryRoot } from '../checks/repository/repository';
import { IMAGES } from '../images/image';
import { brokenDocument } from './broken-document';
import { buildOverlay, installedTool, type Overlay, OVERLAYS, parseManifests } from './manifests';
import { overlayFaults } from './overlay-faults';
import { madeSecrets } from './secrets';
import { variablesInSources } from './sources';
import { schemaOf, variableFaults } from './variables';

const root = repositoryRoot();
const kustomize = installedTool(root, 'kustomize');
const secrets = madeSecrets(root);

const faultsOf = (overlay: Overlay, text: string) => overlayFaults({ overlay, manifests: parseManifests(text), ...(overlay === 'dev' && { secrets }) });

describe('the sources of k8s', () => {
  it.each(IMAGES)('name no setting that %s has not', async (image) => {
    const schema = await schemaOf(image);
    const named = OVERLAYS.map((overlay) => variablesInSources(root, overlay, image));
    expect(named.flatMap((variables) => variableFaults(image, variables, schema).filter((fault) => fault.endsWith('is no setting of it')))).toEqual([]);
    expect(named.every((variables) => 'BASE_URL' in variables)).toBe(true);
  });
});

/** Where kustomize is not installed, CI installs it for its check of the manifests, which asks all of this again. */
if (kustomize !== undefined) describeOverlays(kustomize);

function describeOverlays(program: string): void {
  const built = new Map<Overlay, string>();
  beforeAll(() => OVERLAYS.forEach((overlay) => built.set(overlay, buildOverlay(root, program, overlay))));

  const broken = (overlay: Overlay, document: string, what: string | RegExp, by: string) => brokenDocument(built.get(overlay) ?? '', document, what, by);

  describe('a built overlay', () => {
    it.each(OVERLAYS)('%s gives every service what it reads and needs, meets its ports, and opens no way that is not needed', async (overlay) => {
      expect(await faultsOf(overlay, built.get(overlay) ?? '')).toEqual([]);
    });

    it.each<[string, Overlay, string, string | RegExp, string, unknown]>([
      ['a setting that nobody has', 'dev', 'ConfigMap/services', 'KAFKA_BROKERS', 'KAFKA_BROKER', 'dev: aisvc/service: KAFKA_BROKER is no setting of it'],
      ['no log of events', 'prod', 'ConfigMap/services', /^ {2}KAFKA_BROKERS.*\n/m, '', 'prod: aisvc/service: EVENTS_DATABASE_URL and KAFKA_BROKERS: one of them must be given'],
      ['a user of Kafka that is missing', 'prod', 'Deployment/aisvc', /- name: KAFKA_SASL_USERNAME\n.*\n.*\n.*\n.*\n/g, '', 'prod: aisvc/service: KAFKA_SASL_USERNAME: is missing, KAFKA_SASL_MECHANISM needs it'],
      ['a value that is refused', 'dev', 'ConfigMap/platform', 'LOG_LEVEL: info', 'LOG_LEVEL: loud', 'dev: gateway/service: LOG_LEVEL: Invalid option: expected one of "fatal"|"error"|"warn"|"info"|"debug"|"trace"'],
      ['a secret that nobody makes', 'dev', 'Deployment/filesvc', /key: S3_ACCESS_KEY/g, 'key: S3_ACCESS', 'dev: filesvc/service: nobody makes filesvc/S3_ACCESS'],
      ['a secret of another service', 'prod', 'Deployment/metricsvc', /key: DATABASE_URL\n(\s+)name: metricsvc/g, 'key: DATABASE_URL\n$1name: aisvc', 'prod: metricsvc/service: DATABASE_URL is a secret of aisvc'],
      ['a secret in the open', 'prod', 'Deployment/aisvc', /name: SERVICE_TOKEN\n.*\n.*\n.*\n.*\n/g, 'name: SERVICE_TOKEN\n          value: the secret of all services\n', 'prod: aisvc/service: SERVICE_TOKEN is a secret and stands in the open'],
      ['another port', 'prod', 'Deployment/aisvc', 'containerPort: 3000', 'containerPort: 3001', 'prod: aisvc: does not listen on http, 3000'],
      ['a Service that leads elsewhere', 'prod', 'Service/aisvc', 'port: 3000', 'port: 80', 'prod: aisvc: has no Service that leads to it'],
      ['an address with another port', 'dev', 'ConfigMap/datasourcesvc', 'itemsvc:3000', 'itemsvc:3001', 'dev: datasourcesvc -> itemsvc:3001 is needed and closed'],
      ['a way that is closed', 'dev', 'NetworkPolicy/to-s3', '7070', '7071', 'dev: filesvc -> s3:7070 is needed and closed'],
      ['a way that nobody needs', 'dev', 'NetworkPolicy/to-mongo', '- itemsvc', '- itemsvc\n      - aisvc', 'dev: aisvc -> mongo:27017 is allowed by one side alone'],
      ['a caller that need not call', 'prod', 'NetworkPolicy/to-postgres', '- aisvc', '- aisvc\n      - gateway', 'prod: gateway -> 192.0.2.0/27:5432 is open and not needed'],
      ['a port of an engine outside', 'prod', 'NetworkPolicy/to-kafka', '9094', '9092', 'prod: aisvc:9094 is needed and closed'],
      ['the whole network', 'prod', 'NetworkPolicy/to-mongo', '192.0.2.32/27', '0.0.0.0/0', 'prod: itemsvc -> 0.0.0.0/0:27017 is the whole network'],
      ['everything allowed by default', 'prod', 'NetworkPolicy/nobody-by-default', '  - Egress\n', '', 'prod: what is not said is allowed'],
      ['DNS anywhere', 'prod', 'NetworkPolicy/names', 'kube-system', 'elsewhere', 'prod: aisvc -> kube-dns:53/UDP is needed and closed'],
      ['identity providers that nobody reaches', 'prod', 'NetworkPolicy/identity-providers', '443', '8443', 'prod: passportsvc -> public:443 is needed and closed'],
      ['a network of the house for webhooks', 'prod', 'NetworkPolicy/webhooks', '- 10.0.0.0/8\n', '- 10.0.0.0/9\n', 'prod: notificationsvc -> 10.128.0.1:443 is private and open'],
      ['proxies of another namespace', 'prod', 'NetworkPolicy/from-the-gateway-api', 'twinyard-gateway', 'elsewhere', 'prod: twinyard-gateway/* -> aisvc:3000 is needed and closed'],
      ['a Prometheus that reads nothing', 'prod', 'NetworkPolicy/metrics', 'monitoring', 'elsewhere', 'prod: monitoring/* -> aisvc:3000 is needed and closed'],
      ['a route under another host name', 'dev', 'Ingress/twinyard', 'host: twinyard.localhost', 'host: localhost', 'dev: localhost is not the host of BASE_URL, twinyard.localhost'],
      ['a root', 'dev', 'StatefulSet/postgres', 'runAsUser: 999', 'runAsUser: 0', 'dev: postgres: may run as root'],
      ['no migration', 'prod', 'Deployment/aisvc', '- migrate\n', '- serve\n', 'prod: aisvc: is not migrated by its own image'],
      ['no probe', 'prod', 'Deployment/aisvc', '/health/ready', '/health/live', 'prod: aisvc: is not probed at /health/live, /health/live and /health/ready'],
      ['a gateway that goes with any service', 'prod', 'Deployment/gateway', /(readinessProbe:\n\s+failureThreshold: \d+\n\s+httpGet:\n\s+path: )\/health\/live/, '$1/health/ready', 'prod: gateway: is not probed at /health/live alone: it would go with any of the services'],
      ['a replica more at rest', 'prod', 'HorizontalPodAutoscaler/aisvc', 'averageUtilization: 70', 'averageUtilization: 25', 'prod: aisvc: would scale at rest'],
      ['a consumer that scales by something else', 'prod', 'HorizontalPodAutoscaler/metricsvc', 'service: metricsvc', 'service: aisvc', 'prod: metricsvc: does not scale by what waits for it'],
      ['runs that wait for a processor', 'prod', 'HorizontalPodAutoscaler/datasourcesvc', 'name: runs_waiting', 'name: events_lag', 'prod: datasourcesvc: does not scale by what waits for it'],
      ['more than a laptop has', 'dev', 'Deployment/aisvc', /cpu: 50m/g, 'cpu: 1050m', expect.stringMatching(/^dev: asks for \d+ m of processor, more than 1000$/)],
      ['another limit than in Compose', 'prod', 'Deployment/aisvc', 'memory: 768Mi', 'memory: 512Mi', 'prod: aisvc: its limit of memory is 512 MB, not 768'],
      ['one replica', 'prod', 'HorizontalPodAutoscaler/aisvc', 'minReplicas: 2', 'minReplicas: 1', 'prod: aisvc: does not scale'],
    ])('is refused with %s', async (...[, overlay, document, what, by, fault]) => {
      expect(await faultsOf(overlay, broken(overlay, document, what, by))).toContainEqual(fault);
    });
  });
}
