import { Injectable } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { Tx } from '@twinyard/service-kit';
import type { ResourceType } from '../contract/catalogue';
import type { ResourceEvent } from '../contract/event';
import { handledTypes, handlesBatches } from './on-event';

export interface EventHandler {
  /** `<class>.<method>`: what the inbox knows it by. */
  readonly name: string;
  readonly types: readonly ResourceType[];
  readonly handle: (tx: Tx, event: ResourceEvent) => Promise<void>;
  /** For handlers that take many at once. */
  readonly handleAll?: (tx: Tx, events: readonly ResourceEvent[]) => Promise<void>;
}

/** Finds the methods that `@OnEvent` marks, in all providers of the service. */
@Injectable()
export class EventHandlers {
  constructor(private readonly discovery: DiscoveryService, private readonly scanner: MetadataScanner) {}

  list(): EventHandler[] {
    const instances = this.discovery.getProviders().filter((wrapper) => wrapper.isDependencyTreeStatic()).map((wrapper) => wrapper.instance as unknown);
    const handlers = [...new Set(instances)].flatMap((instance) => (isObject(instance) ? this.handlersOf(instance) : []));
    const twice = handlers.find((handler, index) => handlers.findIndex((other) => other.name === handler.name) !== index);
    if (twice) throw new Error(`Two event handlers are named ${twice.name}; the inbox could not tell them apart.`);
    return handlers;
  }

  private handlersOf(instance: Record<string, unknown>): EventHandler[] {
    const prototype = Object.getPrototypeOf(instance) as Record<string, unknown> | null;
    if (!prototype || prototype === Object.prototype) return [];
    return this.scanner.getAllMethodNames(prototype).flatMap((method): EventHandler[] => {
      const types = handledTypes(prototype[method] as object);
      if (!types) return [];
      const name = `${instance.constructor.name}.${method}`;
      // The decorators have checked the method's type.
      if (!handlesBatches(prototype[method] as object)) return [{ name, types, handle: (tx, event) => (instance[method] as EventHandler['handle'])(tx, event) }];
      const handleAll: EventHandler['handleAll'] = (tx, events) => (instance[method] as NonNullable<EventHandler['handleAll']>)(tx, events);
      return [{ name, types, handleAll, handle: (tx, event) => handleAll(tx, [event]) }];
    });
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
