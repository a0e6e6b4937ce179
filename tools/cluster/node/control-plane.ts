import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Kubectl } from '../kubectl';
import type { ClusterParts } from '../parts';
import { NODE_ADDRESS, SERVICE_ADDRESSES } from './addresses';
import type { LoggedProgram } from '../../containers/logged-program';
import { startOnNode } from './node-program';

const STORE_PORT = 2379;
const API_PORT = 6443;
const API = `https://127.0.0.1:${API_PORT}`;

/** Writes who may do everything: the only user that the node's API has, and all of its programs. */
export function writeIdentity(folder: string): { readonly kubeconfig: string; readonly tokens: string; readonly accountKey: string } {
  const [kubeconfig, tokens, accountKey] = ['kubeconfig', 'tokens.csv', 'account.key'].map((name) => join(folder, name)) as [string, string, string];
  const token = randomBytes(24).toString('hex');
  writeFileSync(tokens, `${token},admin,admin,"system:masters"\n`);
  writeFileSync(accountKey, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(kubeconfig, JSON.stringify({
    apiVersion: 'v1', kind: 'Config', 'current-context': 'node',
    // Its certificate is made at its start, and it is reached by this node alone.
    clusters: [{ name: 'node', cluster: { server: API, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'node', context: { cluster: 'node', user: 'admin' } }],
  }));
  return { kubeconfig, tokens, accountKey };
}

/** The API with its store, the controllers and the scheduler. */
export async function startControlPlane(folder: string, { kubernetes, kine }: ClusterParts, identity: ReturnType<typeof writeIdentity>, kubectl: Kubectl): Promise<LoggedProgram[]> {
  const { kubeconfig, tokens, accountKey } = identity;
  const is = (program: string) => join(kubernetes, program);
  const certificates = join(folder, 'certificates');
  const store = await startOnNode(folder, kine, [`--endpoint=sqlite://${join(folder, 'state.db')}?_journal=WAL&cache=shared&_busy_timeout=30000`, `--listen-address=tcp://127.0.0.1:${STORE_PORT}`], () => isOpen(STORE_PORT));
  const api = await startOnNode(folder, is('kube-apiserver'), [
    `--etcd-servers=http://127.0.0.1:${STORE_PORT}`, `--service-cluster-ip-range=${SERVICE_ADDRESSES}`, '--bind-address=127.0.0.1', `--secure-port=${API_PORT}`, `--advertise-address=${NODE_ADDRESS}`,
    '--endpoint-reconciler-type=none', '--authorization-mode=RBAC', `--token-auth-file=${tokens}`, `--cert-dir=${certificates}`, '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${accountKey}`, `--service-account-key-file=${accountKey}`, '--kubelet-preferred-address-types=InternalIP',
  ], () => kubectl.run('get', '--raw', '/readyz').then((answer) => answer === 'ok', () => false));
  const follows = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--bind-address=127.0.0.1'];
  const controllers = await startOnNode(folder, is('kube-controller-manager'), [...follows, `--cert-dir=${certificates}`, `--service-account-private-key-file=${accountKey}`], () => isOpen(10_257));
  const scheduler = await startOnNode(folder, is('kube-scheduler'), [...follows, `--cert-dir=${certificates}`], () => isOpen(10_259));
  return [scheduler, controllers, api, store];
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false)).once('connect', () => socket.destroy());
  });
}
