import { isExactImage } from './exact-image';
import type { Container, Manifest, PodSpec, Workload } from './manifests';
import { IDLE_MILLICORES, millicores } from './resources';
import { brokenRules, type Rules } from './rules';

/** Kafka's image writes its configuration beside its programs. */
const WRITES_BESIDE_ITSELF = 'kafka';

/** The profile `restricted` of Kubernetes' pod security, which the namespace enforces, and what we ask beyond it. */
const POD: Rules<PodSpec> = [
  [({ automountServiceAccountToken: token }) => token === false, 'is given a token of Kubernetes'],
  [({ securityContext: context }) => context?.runAsNonRoot === true && (context.runAsUser ?? 0) > 0, 'may run as root'],
  [({ securityContext: context }) => context?.seccompProfile?.type === 'RuntimeDefault', 'has no seccomp profile'],
];

const CONTAINER: Rules<Container> = [
  [({ image }) => isExactImage(image), 'its image has no exact tag'],
  [({ securityContext: context }) => context?.allowPrivilegeEscalation === false, 'may gain privileges'],
  [({ name, securityContext: context }) => context?.readOnlyRootFilesystem === true || name === WRITES_BESIDE_ITSELF, 'may write to its root file system'],
  [({ securityContext: context }) => context?.capabilities?.drop?.includes('ALL') ?? false, 'keeps capabilities'],
  [({ resources }) => ['cpu', 'memory'].every((resource) => resources?.requests?.[resource] !== undefined), 'requests nothing'],
  [({ resources }) => resources?.limits?.['memory'] !== undefined, 'has no limit of memory'],
];

export function podFaults({ name, pod }: Workload): string[] {
  const containers = [...(pod.initContainers ?? []), ...pod.containers];
  return [...brokenRules(name, pod, POD), ...containers.flatMap((container) => brokenRules(`${name}/${container.name}`, container, CONTAINER))];
}

interface Service {
  readonly name: string;
  readonly pod: PodSpec;
  readonly container: Container;
  readonly migration: Container | undefined;
  /** Whether there is one of its name, and it is as it should be. */
  readonly has: (kind: string, holds?: (spec: NonNullable<Manifest['spec']>) => boolean) => boolean;
}

const probesOf = ({ startupProbe, livenessProbe, readinessProbe }: Container) =>
  [startupProbe, livenessProbe, readinessProbe].map((probe) => `${probe?.httpGet?.path}:${probe?.httpGet?.port}`).join(' ');

const isMigrated = ({ container, migration }: Service) => migration?.args?.join(' ') === 'migrate' && migration.image === container.image;
const givenTo = (container: Container | undefined) => JSON.stringify([container?.env, container?.envFrom]);

const SERVICE: Rules<Service> = [
  [({ container }) => JSON.stringify(container.ports) === JSON.stringify([{ containerPort: 3000, name: 'http' }]), 'does not listen on http, 3000'],
  [({ has }) => has('Service', ({ ports }) => ports?.[0]?.port === 3000 && ports[0].targetPort === 'http'), 'has no Service that leads to it'],
  [({ has, name }) => has('Service', ({ selector }) => selector?.['app.kubernetes.io/name'] === name), 'its Service chooses others'],
  [({ has, name, pod }) => has('ServiceAccount') && pod.serviceAccountName === name, 'has no account of its own'],
  [({ has }) => has('NetworkPolicy'), 'has no network policy'],
  [({ name, container }) => name === 'gateway' || probesOf(container) === '/health/live:http /health/live:http /health/ready:http', 'is not probed at /health/live, /health/live and /health/ready'],
  [({ name, container }) => name !== 'gateway' || probesOf(container) === '/health/live:http /health/live:http /health/live:http', 'is not probed at /health/live alone: it would go with any of the services'],
  [({ pod }) => (pod.topologySpreadConstraints ?? []).length > 0, 'is not spread'],
  [(service) => (service.name === 'gateway' ? service.migration === undefined : isMigrated(service)), 'is not migrated by its own image'],
  [({ container, migration }) => migration === undefined || givenTo(migration) === givenTo(container), 'its migration has other settings'],
];

/** It scales by processor from twice what it takes when nobody asks anything. */
function isAboveRest({ metrics = [] }: NonNullable<Manifest['spec']>, { resources }: Container): boolean {
  const cpu = metrics.find(({ resource }) => resource?.name === 'cpu')?.resource?.target.averageUtilization;
  return cpu === undefined || (millicores(resources?.requests?.['cpu']) * cpu) / 100 >= 2 * IDLE_MILLICORES;
}

/** What waits for these while the processor is at rest: events in the log, runs in the queue. */
const WAITING: Readonly<Record<string, string>> = { metricsvc: 'events_lag', notificationsvc: 'events_lag', datasourcesvc: 'runs_waiting' };
const scalesBy = (metric: string, name: string) => ({ metrics = [] }: NonNullable<Manifest['spec']>) =>
  metrics.length > 0 && metrics.every(({ external }) => external?.metric.name === metric && external.metric.selector?.matchLabels?.['service'] === name);

const SCALED: Rules<Service> = [
  [({ has, name }) => WAITING[name] === undefined || has('HorizontalPodAutoscaler', scalesBy(WAITING[name], name)), 'does not scale by what waits for it'],
  [({ has, name }) => has('HorizontalPodAutoscaler', ({ minReplicas = 0, scaleTargetRef }) => minReplicas >= 2 && scaleTargetRef?.name === name), 'does not scale'],
  [({ has, container }) => has('HorizontalPodAutoscaler', (spec) => isAboveRest(spec, container)), 'would scale at rest'],
  [({ has, name }) => has('PodDisruptionBudget', ({ selector }) => selector?.matchLabels?.['app.kubernetes.io/name'] === name), 'has no disruption budget'],
];

/** What belongs to each service, and that the ports meet: container, Service, probes. */
export function serviceFaults({ name, pod }: Workload, manifests: readonly Manifest[], isScaled: boolean): string[] {
  const has: Service['has'] = (kind, holds = () => true) => manifests.some((manifest) => manifest.kind === kind && manifest.metadata.name === name && holds(manifest.spec ?? {}));
  const [container = { name: '', image: '' }] = pod.containers;
  const service = { name, pod, container, migration: pod.initContainers?.[0], has };
  return [...brokenRules(name, service, SERVICE), ...(isScaled ? brokenRules(name, service, SCALED) : [])];
}
