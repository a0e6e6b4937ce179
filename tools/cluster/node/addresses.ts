/** The node's own address; `kubectl logs` and `exec` come by it. */
export const NODE_ADDRESS = '172.30.0.1';
export const NODE_NAME = 'node';
export const SERVICE_ADDRESSES = '10.96.0.0/16';
export const DNS_ADDRESS = '10.96.0.10';
export const POD_ADDRESSES = '10.244.0.0/24';
export const DOMAIN = 'cluster.local';
