import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type ImageName } from '../images/image';
import type { Overlay } from './manifests';
import type { Variables } from './variables';

interface Kustomization {
  readonly configMapGenerator?: readonly { readonly name: string; readonly literals: readonly string[] }[];
  readonly patches?: readonly { readonly patch?: string }[];
}

/** What a service is given, read from the sources: for where there is no kustomize. What an overlay's patches add is not seen. */
export function variablesInSources(root: string, overlay: Overlay, image: ImageName): Variables {
  const common = read(root, 'base');
  const own = read(root, join('base', image));
  const over = read(root, join('overlays', overlay));
  const maps = image === 'gateway' ? ['platform', 'gateway'] : ['platform', 'services', image];
  const literals = [common, own, over].flatMap(({ configMapGenerator = [] }) => configMapGenerator).filter(({ name }) => maps.includes(name)).flatMap((map) => map.literals);
  const secrets = (own.patches ?? []).flatMap(({ patch = '' }) => [...patch.matchAll(/name: (\w+), valueFrom/g)].map(([, name = '']) => [name, undefined] as const));
  return Object.fromEntries([...literals.map((literal) => [literal.slice(0, literal.indexOf('=')), literal.slice(literal.indexOf('=') + 1)] as const), ...secrets]);
}

const read = (root: string, folder: string) => parse(readFileSync(join(root, 'k8s', folder, 'kustomization.yaml'), 'utf8')) as Kustomization;
