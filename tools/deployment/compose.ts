import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type ImageName, IMAGES } from '../images/image';
import type { Variables } from './variables';

export interface ComposeService {
  readonly image: string;
  readonly build?: { readonly dockerfile: string; readonly args: Readonly<Record<string, string>> };
  readonly user?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
  readonly read_only?: boolean;
  readonly restart?: string;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly deploy?: { readonly resources?: { readonly limits?: Readonly<Record<string, string | number>> } };
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

const FILE = 'docker-compose.yml';
const DEFAULTED = /\$\{(\w+):-([^}]*)\}/g;

export const composeText = (root: string) => readFileSync(join(root, FILE), 'utf8');

/** With its anchors merged, and with the defaults in place of what `.env` may set. */
export function parseCompose(text: string): Compose {
  return parse(text.replace(DEFAULTED, (_whole, _name, fallback: string) => fallback), { merge: true }) as Compose;
}

/** Names that `.env` may set. */
export const settableNames = (text: string) => new Set([...text.matchAll(DEFAULTED)].map(([, name = '']) => name));

/** Names that `.env.example` has, those that are commented out too. */
export const exampleNames = (root: string) => new Set([...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = '']) => name));

/** The services that are ours, and the migrations of some: name → image. */
export function ownServices({ services }: Compose): (readonly [string, ImageName, ComposeService])[] {
  return Object.entries(services).flatMap(([name, service]) => {
    const image = IMAGES.find((candidate) => service.image.startsWith(`twinyard/${candidate}:`));
    return image === undefined ? [] : [[name, image, service] as const];
  });
}

export const variablesOf = (service: ComposeService): Variables => service.environment ?? {};

/** Files of the repository that are mounted, and are not there. */
export function missingFiles(root: string, { services }: Compose): string[] {
  const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes).filter((volume) => volume.startsWith('./'));
  return mounted.map((volume) => volume.split(':')[0] ?? '').filter((file) => !existsSync(join(root, file))).map((file) => `${FILE}: ${file} is not there`);
}
