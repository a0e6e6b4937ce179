import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kubectl } from '../kubectl';
import type { ClusterParts } from '../parts';
import { DNS_ADDRESS, DOMAIN, NODE_ADDRESS, NODE_NAME } from './addresses';
import { RUNTIME_SOCKET } from './container-runtime';
import type { LoggedProgram } from '../../containers/logged-program';
import { startOnNode } from './node-program';

interface Node {
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

/** Resolves when the node is ready for pods. */
export function startKubelet(folder: string, { kubernetes }: ClusterParts, kubeconfig: string, kubectl: Kubectl): Promise<LoggedProgram> {
  const [config, resolver, home] = [join(folder, 'kubelet.json'), join(folder, 'resolv.conf'), join(folder, 'kubelet')];
  mkdirSync(home);
  writeFileSync(resolver, '');
  writeFileSync(config, JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', containerRuntimeEndpoint: `unix://${RUNTIME_SOCKET}`, cgroupDriver: 'cgroupfs',
    // Nobody but this node reaches it.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } }, authorization: { mode: 'AlwaysAllow' },
    clusterDNS: [DNS_ADDRESS], clusterDomain: DOMAIN, resolvConf: resolver,
    // The machine is not the node's: how full it is, is no reason to put pods out.
    enforceNodeAllocatable: [], failSwapOn: false, imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '0%', 'nodefs.available': '0%', 'nodefs.inodesFree': '0%', 'imagefs.available': '0%', 'imagefs.inodesFree': '0%' },
  }));
  const args = [`--config=${config}`, `--kubeconfig=${kubeconfig}`, `--root-dir=${home}`, `--cert-dir=${join(home, 'pki')}`, `--node-ip=${NODE_ADDRESS}`, `--hostname-override=${NODE_NAME}`];
  const isReady = async () => {
    const { status } = await kubectl.json<Node>('get', 'node', NODE_NAME);
    return status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  };
  return startOnNode(folder, join(kubernetes, 'kubelet'), args, () => isReady().catch(() => false));
}
