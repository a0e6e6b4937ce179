import { BlockList, isIP } from 'node:net';

/** Special-purpose addresses that are not globally reachable (IANA registries, RFC 6890), and multicast. */
const IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16], ['172.16.0.0', 12], ['192.0.0.0', 24], ['192.0.2.0', 24],
  ['192.168.0.0', 16], ['198.18.0.0', 15], ['198.51.100.0', 24], ['203.0.113.0', 24], ['224.0.0.0', 4], ['240.0.0.0', 4],
];
const IPV6: readonly (readonly [string, number])[] = [
  ['::', 128], ['::1', 128], ['::ffff:0:0', 96], ['64:ff9b::', 96], ['64:ff9b:1::', 48], ['100::', 64], ['2001::', 23], ['2001:db8::', 32], ['2002::', 16],
  ['fc00::', 7], ['fe80::', 10], ['ff00::', 8],
];
/** A list for each family: in one list the subnet of IPv4-mapped addresses would hold every IPv4 address. */
const ipv4 = new BlockList();
const ipv6 = new BlockList();
for (const [network, prefix] of IPV4) ipv4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of IPV6) ipv6.addSubnet(network, prefix, 'ipv6');

/** Whether an address is of this machine or its networks. What is no address counts as one. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  return family === 4 ? ipv4.check(address, 'ipv4') : ipv6.check(address, 'ipv6');
}
