import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Component } from './component';
import { ComponentCatalogue } from './component-catalogue';
import { OrchcomponentsController } from './orchcomponents.controller';
import { ScriptTypesController } from './script-target/script-types.controller';

@Global()
@Module({})
export class ComponentsModule {
  static forRoot(components: readonly Component[]): DynamicModule {
    return {
      module: ComponentsModule,
      controllers: [OrchcomponentsController, ScriptTypesController],
      providers: [{ provide: ComponentCatalogue, useFactory: () => new ComponentCatalogue(components) }],
      exports: [ComponentCatalogue],
    };
  }
}
