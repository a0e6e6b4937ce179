import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dockerfileText } from '../../deployment/dockerfile';
import { IMAGES } from '../../images/image';
import type { Docker } from '../docker';

/** `# syntax=` names an image to be pulled, which cannot be done here; what is built in does the same for this file. */
const SYNTAX = /^# syntax=.*\n/;

/** Our images, by the real Dockerfile and the `build` of docker-compose.yml. Their builds alone are let out, to the registry of npm. */
export async function makeOwnImages(docker: Docker, root: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'twinyard-own-images-'));
  try {
    const [dockerfile, override] = [join(folder, 'Dockerfile'), join(folder, 'override.json')];
    writeFileSync(dockerfile, dockerfileText(root).replace(SYNTAX, ''));
    writeFileSync(override, JSON.stringify({ services: Object.fromEntries(IMAGES.map((image) => [image, { build: { dockerfile, network: 'host' } }])) }));
    await docker.run(['compose', '--project-directory', root, '-f', join(root, 'docker-compose.yml'), '-f', override, 'build', '--quiet']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
