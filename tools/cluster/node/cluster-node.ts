import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Kubectl } from '../kubectl';
import type { ClusterParts } from '../parts';
import { startClusterNetwork } from './cluster-network';
import { startContainerRuntime } from './container-runtime';
import { startControlPlane, writeIdentity } from './control-plane';
import { startKubelet } from './kubelet';
import { makeNetwork } from './network';
import type { LoggedProgram } from '../../containers/logged-program';

/** A Kubernetes cluster of one node, inside namespaces of its own (main.ts). What it keeps, logs too, lies in `parts.folder`. */
export class ClusterNode {
  private constructor(readonly kubectl: Kubectl, readonly folder: string, private readonly programs: readonly LoggedProgram[]) {}

  static async start(parts: ClusterParts): Promise<ClusterNode> {
    const { folder } = parts;
    mkdirSync(join(folder, 'certificates'), { recursive: true });
    await makeNetwork();
    const identity = writeIdentity(folder);
    const kubectl = new Kubectl(parts.kubernetes, identity.kubeconfig);
    const runtime = await startContainerRuntime(folder, parts.images);
    const controlPlane = await startControlPlane(folder, parts, identity, kubectl);
    const kubelet = await startKubelet(folder, parts, identity.kubeconfig, kubectl);
    // Behind the kubelet, which makes the node known: kube-proxy looks for its own.
    const network = await startClusterNetwork(folder, parts, identity.kubeconfig);
    return new ClusterNode(kubectl, folder, [...network, kubelet, ...controlPlane, runtime]);
  }

  async stop(): Promise<void> {
    for (const program of this.programs) await program.stop();
  }
}
