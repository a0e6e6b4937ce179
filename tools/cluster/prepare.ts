import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { containersFolder, installFromDebian, installPackages, installPrograms, type Say } from '../containers/programs';
import { Daemon } from '../containers/daemon';
import { Docker } from '../containers/docker';
import { makeAllImages } from '../containers/images/all-images';
import { ENGINE_TAGS } from '../containers/images/engine-images';
import { run } from '../containers/run';
import { GATEWAY_API, moduleFolder } from '../deployment/kubeconform/go-module';
import { IMAGES } from '../images/image';
import type { ClusterParts } from './parts';

/** Program, or plug-in of a container's network → Debian's package. */
const APT_PACKAGES = { containerd: 'containerd', runc: 'runc', ptp: 'containernetworking-plugins', ip: 'iproute2' };

/** Gets and builds everything that a node needs, with the network of the machine. `folder` takes what is for this run alone. */
export async function prepareParts(root: string, folder: string, say: Say): Promise<ClusterParts> {
  const programs = await installPrograms(root, say);
  await installFromDebian(APT_PACKAGES, say);
  say('installing Kubernetes (once; it is compiled, which takes minutes)');
  const { kubernetes, kine, coredns } = await installPackages(root, ['kubernetes', 'kine', 'coredns']);
  const gatewayApi = moduleFolder(GATEWAY_API, folder, say);
  if (gatewayApi === undefined) throw new Error('the definitions of the Gateway API cannot be had');
  const images = join(folder, 'images.tar');
  const home = containersFolder(programs);
  const daemon = await Daemon.start(home);
  try {
    const docker = new Docker(home, programs);
    await makeAllImages(docker, { root, programs }, say);
    say('saving the images');
    await docker.run(['save', '--output', images, ...ENGINE_TAGS, ...IMAGES.map((image) => `twinyard/${image}:dev`)]);
  } finally {
    await daemon.stop();
  }
  return { kubernetes, kine, coredns, images, folder: join(folder, 'node'), gatewayApi: join(gatewayApi, 'config', 'crd', 'standard'), versions: await versionsOf({ kubernetes, kine, coredns }) };
}

async function versionsOf({ kubernetes, kine, coredns }: Pick<ClusterParts, 'kubernetes' | 'kine' | 'coredns'>): Promise<Readonly<Record<string, string>>> {
  const [, release = ''] = /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
  return {
    Kubernetes: (await run(join(kubernetes, 'kubelet'), ['--version'])).replace('Kubernetes', '').trim(),
    containerd: (await run('containerd', ['--version'])).split(' ')[2] ?? '',
    runc: (await run('runc', ['--version'])).split(/\s/)[2] ?? '',
    kine: versionIn(kine),
    CoreDNS: versionIn(coredns),
    Linux: `${(await run('uname', ['-r'])).trim()}, ${release}`,
    Node: process.version,
  };
}

/** What is installed lies in a folder of its name and version. */
const versionIn = (program: string) => basename(dirname(program)).replace(/^.*-/, '');
