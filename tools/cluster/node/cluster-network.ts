import { Resolver } from 'node:dns/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterParts } from '../parts';
import { DNS_ADDRESS, DOMAIN, NODE_NAME, POD_ADDRESSES } from './addresses';
import type { LoggedProgram } from '../../containers/logged-program';
import { startOnNode } from './node-program';

const PROXY_HEALTH = 'http://127.0.0.1:10256/healthz';

/** What leads addresses of Services to pods, and what knows names: kube-proxy and CoreDNS, which pods ask at the address that they have in most clusters. */
export async function startClusterNetwork(folder: string, { kubernetes, coredns }: ClusterParts, kubeconfig: string): Promise<LoggedProgram[]> {
  const proxy = await startOnNode(folder, join(kubernetes, 'kube-proxy'), [
    `--kubeconfig=${kubeconfig}`, `--hostname-override=${NODE_NAME}`, '--proxy-mode=iptables', `--cluster-cidr=${POD_ADDRESSES}`, '--conntrack-max-per-core=0', '--conntrack-min=0',
    '--healthz-bind-address=127.0.0.1:10256',
  ], () => fetch(PROXY_HEALTH).then(({ ok }) => ok, () => false));
  const corefile = join(folder, 'Corefile');
  writeFileSync(corefile, `.:53 {\n  bind ${DNS_ADDRESS}\n  errors\n  kubernetes ${DOMAIN} {\n    kubeconfig ${kubeconfig}\n    ttl 5\n  }\n}\n`);
  const resolver = new Resolver({ timeout: 1_000, tries: 1 });
  resolver.setServers([DNS_ADDRESS]);
  const names = await startOnNode(folder, coredns, ['-conf', corefile], () => resolver.resolve4(`kubernetes.default.svc.${DOMAIN}`).then(() => true, () => false));
  return [names, proxy];
}
