import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from '../containers/run';
import type { ClusterNode } from './node/cluster-node';
import { makeStorage } from './node/storage';

export const NAMESPACE = 'twinyard';
const OURS = ['--namespace', NAMESPACE];
const ENGINES = ['postgres', 'mongo', 'kafka', 's3'];

interface Workload {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly spec: { readonly replicas: number };
  readonly status: { readonly observedGeneration?: number; readonly replicas?: number; readonly readyReplicas?: number; readonly updatedReplicas?: number };
}

export interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly labels: Readonly<Record<string, string>>; readonly deletionTimestamp?: string };
  readonly status: { readonly containerStatuses?: readonly { readonly restartCount: number; readonly ready: boolean }[] };
}

interface SecretList {
  readonly items: readonly { readonly metadata: { readonly name: string }; readonly stringData: Record<string, string> }[];
}

/** The overlay `dev`, brought to a node as k8s/README.md says. The one thing beside it: MongoDB's stand-in has no users and no transactions. */
export class ClusterPlatform {
  private constructor(private readonly node: ClusterNode) {}

  static async deploy(node: ClusterNode, root: string): Promise<ClusterPlatform> {
    const platform = new ClusterPlatform(node);
    await makeStorage(node.folder, node.kubectl, NAMESPACE, ENGINES.map((engine) => `data-${engine}-0`));
    await node.kubectl.run('create', 'namespace', NAMESPACE);
    const secrets = join(node.folder, 'secrets.json');
    writeFileSync(secrets, await drawnSecrets(root), { mode: 0o600 });
    await node.kubectl.run('apply', '--filename', secrets);
    await node.kubectl.run('apply', '--kustomize', overlayOnStandIn(node.folder, root));
    return platform;
  }

  async adminPassword(): Promise<string> {
    return Buffer.from(await this.kubectl('get', 'secret', 'passportsvc', '--output', 'jsonpath={.data.ADMIN_PASSWORD}'), 'base64').toString();
  }

  /** What has not as many pods as it should have, all of them ready. */
  async unready(): Promise<string[]> {
    const { items } = await this.node.kubectl.json<{ items: Workload[] }>(...OURS, 'get', 'deployments,statefulsets');
    return items.filter(({ metadata, spec, status }) => (status.observedGeneration ?? 0) < metadata.generation || [status.replicas, status.readyReplicas, status.updatedReplicas].some((count) => count !== spec.replicas))
      .map(({ metadata }) => metadata.name);
  }

  /** Those that are not being taken away; of `name` alone, where it is given. */
  async pods(name?: string): Promise<Pod[]> {
    const { items } = await this.node.kubectl.json<{ items: Pod[] }>(...OURS, 'get', 'pods', ...(name === undefined ? [] : ['--selector', `app.kubernetes.io/name=${name}`]));
    return items.filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && status.containerStatuses !== undefined);
  }

  /** Resolves when the new ones are ready and the old ones are told to go. */
  async scale(deployment: string, replicas: number): Promise<void> {
    await this.kubectl('scale', 'deployment', deployment, `--replicas=${replicas}`);
    await this.rolledOut(deployment);
  }

  async restart(deployment: string): Promise<void> {
    await this.kubectl('rollout', 'restart', `deployment/${deployment}`);
    await this.rolledOut(deployment);
  }

  async deletePod({ metadata }: Pod): Promise<void> {
    await this.kubectl('delete', 'pod', metadata.name);
  }

  /** As draining a node does it. Rejects where a budget forbids it. */
  async evict({ metadata: { name } }: Pod): Promise<void> {
    const file = join(this.node.folder, 'eviction.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: NAMESPACE } }));
    await this.kubectl('create', '--raw', `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`, '--filename', file);
  }

  async apply(manifests: readonly object[]): Promise<void> {
    const file = join(this.node.folder, 'manifests.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }));
    await this.kubectl('apply', '--filename', file);
  }

  private kubectl(...args: readonly string[]): Promise<string> {
    return this.node.kubectl.run(...OURS, ...args);
  }

  private async rolledOut(deployment: string): Promise<void> {
    await this.kubectl('rollout', 'status', `deployment/${deployment}`, '--timeout=180s');
  }
}

async function drawnSecrets(root: string): Promise<string> {
  const drawn = JSON.parse(await run(process.execPath, [join(root, 'deploy/secrets/make-secrets.mjs'), 'kubernetes'])) as SecretList;
  const itemsvc = drawn.items.find(({ metadata }) => metadata.name === 'itemsvc');
  if (itemsvc !== undefined) itemsvc.stringData['MONGO_URL'] = 'mongodb://mongo:27017/itemsvc';
  return JSON.stringify(drawn);
}

function overlayOnStandIn(folder: string, root: string): string {
  const overlay = join(folder, 'overlay');
  mkdirSync(overlay);
  const environment = [{ name: 'MONGO_ALLOW_STANDALONE', value: 'true' }];
  const patch = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'itemsvc' }, spec: { template: { spec: { initContainers: [{ name: 'migrate', env: environment }], containers: [{ name: 'service', env: environment }] } } } };
  writeFileSync(join(overlay, 'kustomization.yaml'), JSON.stringify({
    apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', namespace: NAMESPACE, resources: [relative(overlay, join(root, 'k8s/overlays/dev'))], patches: [{ patch: JSON.stringify(patch) }],
  }));
  return overlay;
}
