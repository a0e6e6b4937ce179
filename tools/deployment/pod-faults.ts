import type { Container, Manifest, Workload } from './manifests';

type Rule = readonly [holds: boolean, fault: string];
const broken = (who: string, rules: readonly Rule[]) => rules.filter(([holds]) => !holds).map(([, fault]) => `${who}: ${fault}`);

/** Kafka's image writes its configuration beside its programs. */
const WRITES_BESIDE_ITSELF = new Set(['kafka']);

/** The profile `restricted` of Kubernetes' pod security, which the namespace enforces, and what we ask beyond it. */
export function podFaults({ name, pod }: Workload): string[] {
  const { securityContext: context } = pod;
  return [
    ...broken(name, [
      [pod.automountServiceAccountToken === false, 'is given a token of Kubernetes'],
      [context?.runAsNonRoot === true && (context.runAsUser ?? 0) > 0, 'may run as root'],
      [context?.seccompProfile?.type === 'RuntimeDefault', 'has no seccomp profile'],
    ]),
    ...[...(pod.initContainers ?? []), ...pod.containers].flatMap((container) => containerFaults(`${name}/${container.name}`, container)),
  ];
}

function containerFaults(who: string, { name, image, securityContext: context, resources }: Container): string[] {
  return broken(who, [
    [/:[\w.]*\d[\w.-]*$|:dev$/.test(image), 'its image has no exact tag'],
    [context?.allowPrivilegeEscalation === false, 'may gain privileges'],
    [context?.readOnlyRootFilesystem === true || WRITES_BESIDE_ITSELF.has(name), 'may write to its root file system'],
    [context?.capabilities?.drop?.includes('ALL') ?? false, 'keeps capabilities'],
    [resources?.requests?.['cpu'] !== undefined && resources.requests['memory'] !== undefined, 'requests nothing'],
    [resources?.limits?.['memory'] !== undefined, 'has no limit of memory'],
  ]);
}

/** What belongs to each service, and that the ports meet: container, Service, probes. */
export function serviceFaults({ name, pod }: Workload, manifests: readonly Manifest[], isScaled: boolean): string[] {
  const has = (kind: string, holds: (manifest: Manifest) => boolean = () => true) => manifests.some((manifest) => manifest.kind === kind && manifest.metadata.name === name && holds(manifest));
  const [container = { name: '', image: '' }] = pod.containers;
  const [migration] = pod.initContainers ?? [];
  const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe].map((probe) => `${probe?.httpGet?.path}:${probe?.httpGet?.port}`);
  return broken(name, [
    [container.ports?.length === 1 && container.ports[0]?.containerPort === 3000 && container.ports[0].name === 'http', 'does not listen on http, 3000'],
    [has('Service', ({ spec }) => spec?.ports?.[0]?.port === 3000 && spec.ports[0].targetPort === 'http' && spec.selector?.['app.kubernetes.io/name'] === name), 'has no Service that leads to it'],
    [has('ServiceAccount') && pod.serviceAccountName === name, 'has no account of its own'],
    [has('NetworkPolicy'), 'has no network policy'],
    [probes.join(' ') === '/health/live:http /health/live:http /health/ready:http', `is probed at ${probes.join(' ')}`],
    [(pod.topologySpreadConstraints ?? []).length > 0, 'is not spread'],
    [name === 'gateway' ? migration === undefined : migration?.args?.join(' ') === 'migrate' && migration.image === container.image, 'is not migrated by its own image'],
    [JSON.stringify([migration?.env, migration?.envFrom]) === JSON.stringify([container.env, container.envFrom]) || name === 'gateway', 'its migration has other settings'],
    [!isScaled || has('HorizontalPodAutoscaler', ({ spec }) => (spec?.minReplicas ?? 0) >= 2 && spec?.scaleTargetRef?.name === name), 'does not scale'],
    [!isScaled || has('PodDisruptionBudget', ({ spec }) => spec?.selector?.matchLabels?.['app.kubernetes.io/name'] === name), 'has no disruption budget'],
  ]);
}
