import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAUSE_IMAGE } from '../../containers/images/engine-images';
import { run } from '../../containers/run';
import { POD_ADDRESSES } from './addresses';
import type { LoggedProgram } from '../../containers/logged-program';
import { startOnNode } from './node-program';

/** In a folder that the namespaces of the node have for themselves. */
export const RUNTIME_SOCKET = '/run/containerd/containerd.sock';
const PLUGINS = '/usr/lib/cni';

/** containerd, with all images in it. Each pod has a line to the node of its own, so that what goes from one to another passes the rules of the node. */
export async function startContainerRuntime(folder: string, images: string): Promise<LoggedProgram> {
  const [config, networks] = [join(folder, 'containerd.toml'), join(folder, 'networks')];
  mkdirSync(networks);
  const ipam = { type: 'host-local', ranges: [[{ subnet: POD_ADDRESSES }]], routes: [{ dst: '0.0.0.0/0' }], dataDir: join(folder, 'addresses') };
  writeFileSync(join(networks, 'pods.conflist'), JSON.stringify({ cniVersion: '1.0.0', name: 'pods', plugins: [{ type: 'ptp', ipam }] }));
  writeFileSync(config, `
version = 2
root = "${join(folder, 'containerd')}"
state = "/run/containerd"
[grpc]
address = "${RUNTIME_SOCKET}"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${PAUSE_IMAGE}"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "${PLUGINS}"
conf_dir = "${networks}"
`);
  const ctr = (...args: string[]) => run('ctr', ['--address', RUNTIME_SOCKET, '--namespace', 'k8s.io', ...args]);
  const runtime = await startOnNode(folder, 'containerd', ['--config', config], () => ctr('version').then(() => true, () => false));
  await ctr('images', 'import', images);
  return runtime;
}
