import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const OVERLAYS = ['dev', 'prod'] as const;
export type Overlay = (typeof OVERLAYS)[number];

export type Labels = Readonly<Record<string, string>>;

/** As much of a manifest as is looked at here; kubeconform sees to the rest of its form. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels; readonly annotations?: Labels };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: ManifestSpec;
}

export interface ManifestSpec {
  readonly selector?: { readonly matchLabels?: Labels } & Labels;
  readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  readonly ports?: readonly { readonly port: number; readonly targetPort: number | string }[];
  readonly rules?: readonly { readonly host: string; readonly http: { readonly paths: readonly Route[] } }[];
  readonly tls?: readonly { readonly hosts: readonly string[]; readonly secretName: string }[];
  readonly minReplicas?: number;
  readonly metrics?: readonly { readonly type: string; readonly external?: { readonly metric: { readonly name: string; readonly selector?: Selector } }; readonly resource?: { readonly name: string; readonly target: { readonly averageUtilization?: number } } }[];
  readonly scaleTargetRef?: { readonly name: string };
  readonly podSelector?: Selector;
  readonly policyTypes?: readonly string[];
  readonly ingress?: readonly PolicyRule[];
  readonly egress?: readonly PolicyRule[];
}

export interface Route {
  readonly path: string;
  readonly backend: { readonly service: { readonly name: string } };
}

export interface PolicyRule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly { readonly port: number; readonly protocol: string }[];
}

export interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

export interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values: readonly string[] }[];
}

export interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly serviceAccountName?: string;
  readonly securityContext?: { readonly runAsNonRoot?: boolean; readonly runAsUser?: number; readonly seccompProfile?: { readonly type: string } };
  readonly topologySpreadConstraints?: readonly object[];
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean } } }[];
  readonly envFrom?: readonly { readonly configMapRef?: { readonly name: string } }[];
  readonly ports?: readonly { readonly containerPort: number; readonly name?: string }[];
  readonly resources?: { readonly requests?: Labels; readonly limits?: Labels };
  readonly securityContext?: { readonly allowPrivilegeEscalation?: boolean; readonly readOnlyRootFilesystem?: boolean; readonly capabilities?: { readonly drop?: readonly string[] } };
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: number | string };
}

/** A tool that deploy/engines has installed; `undefined` when it has not. */
export function installedTool(root: string, name: string): string | undefined {
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'dist', 'deploy', 'engines', 'src', 'main.js'), 'path', name], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** What `kubectl apply -k` would send. */
export function buildOverlay(root: string, kustomize: string, overlay: Overlay): string {
  const { status, stdout, stderr } = spawnSync(kustomize, ['build', join(root, 'k8s', 'overlays', overlay)], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`kustomize build of ${overlay}: ${stderr}`);
  return stdout;
}

export const parseManifests = (text: string): Manifest[] => parseAllDocuments(text).map((document) => document.toJS() as Manifest);

const isWorkload = ({ kind }: Manifest) => ['Deployment', 'StatefulSet', 'Job'].includes(kind);

export interface Workload {
  readonly name: string;
  readonly kind: string;
  readonly labels: Labels;
  readonly pod: PodSpec;
}

export function workloadsOf(manifests: readonly Manifest[]): Workload[] {
  return manifests.filter(isWorkload).flatMap(({ kind, metadata, spec }) => (spec?.template ? [{ name: metadata.name, kind, labels: spec.template.metadata.labels, pod: spec.template.spec }] : []));
}

export const isSelected = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator, values }) => operator === 'In' && values.includes(labels[key] ?? ''));
