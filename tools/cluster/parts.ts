import { readFileSync } from 'node:fs';

/** What a node is made of. Everything is at hand before the node is there: it has no way out. */
export interface ClusterParts {
  /** The folder with kube-apiserver, kubelet, kubectl and so on. */
  readonly kubernetes: string;
  readonly kine: string;
  readonly coredns: string;
  /** For all that the node keeps; it is removed when the namespaces are gone, with what is mounted in it. */
  readonly folder: string;
  /** The archive of all images. */
  readonly images: string;
  /** The folder with the definitions of the Gateway API. */
  readonly gatewayApi: string;
  /** What ran, for the page of what was seen. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Names the file of the parts, for suites that run inside the namespaces of a node. */
export const PARTS_VARIABLE = 'CLUSTER_PARTS';

export function clusterParts(): ClusterParts {
  const file = process.env[PARTS_VARIABLE];
  if (file === undefined) throw new Error(`${PARTS_VARIABLE} is not set: npm run test:cluster`);
  return JSON.parse(readFileSync(file, 'utf8')) as ClusterParts;
}
