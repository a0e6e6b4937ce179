import { writeFileSync } from 'node:fs';
import { run } from '../../containers/run';
import { DNS_ADDRESS, NODE_ADDRESS, SERVICE_ADDRESSES } from './addresses';

/**
 * Addresses and routes of the node, in a network namespace that has none; all of them on its loopback, since kernels of small machines have no device made up. Addresses of Services
 * have a route, or the node's own connections to them would be refused before kube-proxy could lead them on; what it does not lead ends on the node.
 */
export async function makeNetwork(): Promise<void> {
  const ip = (command: string) => run('ip', command.split(' '));
  await ip(`address add ${NODE_ADDRESS}/32 dev lo`);
  await ip(`address add ${DNS_ADDRESS}/32 dev lo`);
  await ip(`route add ${SERVICE_ADDRESSES} dev lo src ${NODE_ADDRESS}`);
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
}
