import type { OnApplicationShutdown } from '@nestjs/common';
import type { Component } from './component';

/** The components that this service has, by id and by name. */
export class ComponentCatalogue implements OnApplicationShutdown {
  private readonly byKey: ReadonlyMap<string, Component>;

  constructor(readonly all: readonly Component[]) {
    this.byKey = new Map(all.flatMap((component): [string, Component][] => [[component.id, component], [component.name, component]]));
    if (this.byKey.size !== all.length * 2) throw new Error('Two components with the same id or name');
  }

  /** Behind the jobs, which end before that. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.all.map((component) => component.close?.()));
  }

  find(idOrName: string): Component | undefined {
    return this.byKey.get(idOrName);
  }
}
