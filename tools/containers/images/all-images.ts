import type { Docker } from '../docker';
import type { Programs } from '../programs';
import { makeBaseImage } from './base-image';
import { makeEngineImages } from './engine-images';
import { makeOwnImages } from './own-images';

/** Each stands on those before it; what is there and up to date stays. */
export async function makeAllImages(docker: Docker, from: { readonly root: string; readonly programs: Programs }, say: (line: string) => void): Promise<void> {
  await makeBaseImage(docker, say);
  await makeEngineImages(docker, from, say);
  say('making ours');
  await makeOwnImages(docker, from.root);
}
