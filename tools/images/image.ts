import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { commandsOf } from '../operations/commands';

/** What there is an image of. */
export const IMAGES = [...SERVICES, 'gateway'] as const;
export type ImageName = (typeof IMAGES)[number];

export const isImageName = (name: string): name is ImageName => (IMAGES as readonly string[]).includes(name);

/** A file at the top of the image → the compiled file, below `dist`, that it runs. */
export function programsOf(image: ImageName): Readonly<Record<string, string>> {
  const probe = { 'healthcheck.js': 'tools/images/healthcheck.js' };
  if (image === 'gateway') return { 'main.js': 'tools/platform/gateway/main.js', ...probe };
  const commands = Object.fromEntries(Object.entries(commandsOf(image)).map(([name, file]) => [`${name}.js`, file]));
  return { 'main.js': join('apps', image, 'src', 'main.js'), ...commands, ...probe };
}

/** Packages that load another one by its name alone, which no `require` tells: what is loaded as this product uses them. */
export const LOADED_BY_NAME: Readonly<Record<string, readonly string[]>> = {
  typeorm: ['pg'],
  '@nestjs/common': ['class-transformer', 'class-validator'],
  '@nestjs/swagger': ['@fastify/static', 'class-transformer', 'class-validator'],
  '@nestjs/platform-fastify': ['@fastify/static'],
};

/** Packages that are read from and not run: what they would need for that is left out. */
export const ONLY_READ: ReadonlySet<string> = new Set(['@scalar/fastify-api-reference']);

/** Packages of which an image needs a part; its manifest and its licence stay too. No program of ours loads them by their names. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  'dejavu-fonts-ttf': ['ttf/DejaVuSansMono.ttf'],
  // It holds what is shown in browsers.
  '@scalar/fastify-api-reference': ['dist/index.js'],
  // What @thatopen/fragments loads of it.
  three: [
    ...['three.cjs', 'three.core.js', 'three.module.js'].map((file) => `build/${file}`),
    ...['Line2.js', 'LineGeometry.js', 'LineMaterial.js', 'LineSegments2.js', 'LineSegmentsGeometry.js'].map((file) => `examples/jsm/lines/${file}`),
  ],
};
