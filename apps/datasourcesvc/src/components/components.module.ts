import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { Component } from './component';
import { ComponentCatalogue } from './component-catalogue';
import { OrchcomponentsController } from './orchcomponents.controller';

@Global()
@Module({})
export class ComponentsModule {
  static forRoot(components: readonly Component[]): DynamicModule {
    return {
      module: ComponentsModule,
      controllers: [OrchcomponentsController],
      providers: [{ provide: ComponentCatalogue, useValue: new ComponentCatalogue(components) }],
      exports: [ComponentCatalogue],
    };
  }
}
