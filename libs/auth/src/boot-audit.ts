import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ROUTE_RULE } from './decorators';

/** A service refuses to boot with a route that says neither who may call it nor that anybody may. */
@Injectable()
export class BootAudit implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const open = this.discovery.getControllers().flatMap(({ instance, name }) => this.undecided(instance as object | undefined, name));
    if (open.length > 0) throw new Error(`Routes with neither @Allow, @AllowSignedIn nor @Public: ${open.join(', ')}`);
  }

  private undecided(controller: object | undefined, name: unknown): string[] {
    if (controller === undefined || controller === null) return [];
    const prototype = Object.getPrototypeOf(controller) as Record<string, (...args: unknown[]) => unknown>;
    return this.scanner
      .getAllMethodNames(prototype)
      .filter((method) => {
        const handler = prototype[method];
        return handler !== undefined && Reflect.hasMetadata(PATH_METADATA, handler) && this.reflector.get(ROUTE_RULE, handler) === undefined;
      })
      .map((method) => `${String(name)}.${method}`);
  }
}
