import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceName } from '@twinyard/conventions';
import type { z } from 'zod';
import type { OpenApiInfo } from './openapi/openapi';
import type { BaseSettings } from './settings/settings';

/** What a service is, before it runs: its name, its settings and its module. Boot, tests and generators start from this. */
export interface ServiceDefinition<S extends BaseSettings = BaseSettings> {
  readonly name: ServiceName;
  readonly settings: z.ZodObject & { _output: S };
  readonly openApi: OpenApiInfo;
  readonly module: (settings: S) => DynamicModule;
  /** Makes what the stores need and no migration makes, such as collections; a part of the command `migrate`. */
  readonly prepareStores?: (app: NestFastifyApplication) => Promise<void>;
  /** Fastify plugins and raw routes that Nest has no words for; runs before the application is initialised. */
  readonly configure?: (app: NestFastifyApplication, settings: S) => Promise<void>;
}

export const defineService = <S extends BaseSettings>(definition: ServiceDefinition<S>): ServiceDefinition<S> => definition;
