/** `npm run containers -- <command>`: a Docker daemon of our own, with images of the engines made here, where none can be pulled (deploy/README.md). */
import { once } from 'node:events';
import { canRunContainers } from '../checks/ci/at-hand';
import { repositoryRoot } from '../checks/repository/repository';
import { Daemon } from './daemon';
import { Docker, socketIn } from './docker';
import { makeAllImages } from './images/all-images';
import { containersFolder, findPrograms, installPrograms } from './programs';

const USAGE = `npm run containers -- <command>
  install    gets Docker and Compose, and makes the images: of the engines, and ours
  daemon     runs the daemon until it is stopped (Ctrl-C), and says how to reach it`;

const root = repositoryRoot();
const say = (line: string) => process.stderr.write(`containers: ${line}\n`);

async function install(): Promise<void> {
  const programs = await installPrograms(root, say);
  const folder = containersFolder(programs);
  const daemon = await Daemon.start(folder);
  try {
    await makeAllImages(new Docker(folder, programs), { root, programs }, say);
  } finally {
    await daemon.stop();
  }
}

async function holdDaemon(): Promise<void> {
  const programs = await findPrograms(root);
  const folder = containersFolder(programs);
  const daemon = await Daemon.start(folder);
  const docker = new Docker(folder, programs);
  process.stdout.write(`export DOCKER_HOST=unix://${socketIn(folder)} DOCKER_CONFIG=${docker.configFolder}\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await daemon.stop();
}

async function main(): Promise<void> {
  const command = { install, daemon: holdDaemon }[process.argv[2] ?? ''];
  if (command === undefined) throw new Error(USAGE);
  if (!canRunContainers()) throw new Error('containers need root on Debian, with the capabilities to mount and to route');
  await command();
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
