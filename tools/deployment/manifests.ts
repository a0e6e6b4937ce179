import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const OVERLAYS = ['dev', 'prod'] as const;
export type Overlay = (typeof OVERLAYS)[number];

export type Labels = Readonly<Record<string, string>>;

/** As much of a manifest as is looked at here; kubeconform sees to the rest of its form. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels; readonly annotations?: Labels };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: ManifestSpec;
}

export interface ManifestSpec {
  readonly selector?: { readonly matchLabels?: Labels } & Labels;
  readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  readonly ports?: readonly { readonly name?: string; readonly port: number; readonly targetPort: number | string }[];
  readonly ingressClassName?: string;
  readonly rules?: readonly RouteRule[];
  readonly tls?: readonly { readonly hosts: readonly string[]; readonly secretName: string }[];
  readonly parentRefs?: readonly { readonly name: string; readonly namespace?: string; readonly sectionName?: string }[];
  readonly hostnames?: readonly string[];
  readonly listeners?: readonly Listener[];
  readonly minReplicas?: number;
  readonly metrics?: readonly { readonly type: string; readonly external?: { readonly metric: { readonly name: string; readonly selector?: Selector } }; readonly resource?: { readonly name: string; readonly target: { readonly averageUtilization?: number } } }[];
  readonly scaleTargetRef?: { readonly name: string };
  readonly podSelector?: Selector;
  readonly policyTypes?: readonly string[];
  readonly ingress?: readonly PolicyRule[];
  readonly egress?: readonly PolicyRule[];
}

/** Of an Ingress (`host`, `http`), or of an HTTPRoute. */
export interface RouteRule {
  readonly host?: string;
  readonly http?: { readonly paths: readonly { readonly path: string; readonly pathType: string; readonly backend: { readonly service: { readonly name: string; readonly port: { readonly name?: string; readonly number?: number } } } }[] };
  readonly matches?: readonly { readonly path: { readonly type: string; readonly value: string } }[];
  readonly backendRefs?: readonly { readonly name: string; readonly port: number }[];
  readonly timeouts?: { readonly request?: string };
  readonly filters?: readonly { readonly type: string; readonly requestRedirect?: { readonly scheme?: string } }[];
}

/** Of a Gateway. */
export interface Listener {
  readonly name: string;
  readonly protocol: string;
  readonly tls?: { readonly mode?: string; readonly certificateRefs?: readonly { readonly name: string }[] };
  readonly allowedRoutes?: { readonly namespaces?: { readonly from: string; readonly selector?: Selector } };
}

export interface PolicyRule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly PolicyPort[];
}

export interface PolicyPort {
  readonly port?: number | string;
  readonly endPort?: number;
  readonly protocol?: string;
}

export interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

export interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'; readonly values?: readonly string[] }[];
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
export const buildOverlay = (root: string, kustomize: string, overlay: Overlay): string => build(kustomize, join(root, 'k8s', 'overlays', overlay));

/** The Gateway for clusters that have none. */
export const buildClusterGateway = (root: string, kustomize: string): string => build(kustomize, join(root, 'k8s', 'cluster-gateway'));

/** The overlay with the other way in, as k8s/README.md has it made: the name of one component changed. */
export function buildWithOtherWayIn(root: string, kustomize: string, overlay: Overlay): string {
  const copy = mkdtempSync(join(tmpdir(), 'twinyard-k8s-'));
  try {
    cpSync(join(root, 'k8s'), copy, { recursive: true });
    const file = join(copy, 'overlays', overlay, 'kustomization.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^( +- \.\.\/\.\.\/components\/)(routes|ingress)/m, (_whole, before: string, way: string) => before + (way === 'routes' ? 'ingress' : 'routes')));
    return build(kustomize, join(copy, 'overlays', overlay));
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function build(kustomize: string, folder: string): string {
  const { status, stdout, stderr } = spawnSync(kustomize, ['build', folder], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`kustomize build of ${basename(folder)}: ${stderr}`);
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
  matchExpressions.every(({ key, operator, values = [] }) => OPERATORS[operator](labels[key], values));

const OPERATORS: Readonly<Record<'In' | 'NotIn' | 'Exists' | 'DoesNotExist', (label: string | undefined, values: readonly string[]) => boolean>> = {
  In: (label, values) => label !== undefined && values.includes(label),
  NotIn: (label, values) => label === undefined || !values.includes(label),
  Exists: (label) => label !== undefined,
  DoesNotExist: (label) => label === undefined,
};
