import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { NamespacePurge, type PurgeStep } from './namespace-purge';

/** Records in one step: far less than a second's work. */
const BATCH = 500;

/** How far a stretch of work has come. */
export interface Emptied {
  /** Records removed in it. */
  readonly removed: number;
  /** A whole round has found nothing more, and nothing is on its way out. */
  readonly isEmpty: boolean;
  /** When to go on, should something be on its way out. */
  readonly waitMs: number;
}

/** What a service keeps in namespaces, by all its providers that extend `NamespacePurge`. */
@Injectable()
export class NamespaceContents {
  constructor(private readonly discovery: DiscoveryService) {}

  /** Round by round, until one has found nothing, or it is to stop: one step is done even then. */
  async empty(namespace: string, isToStop: () => boolean): Promise<Emptied> {
    let removed = 0;
    for (;;) {
      const before = removed;
      let waitMs: number | undefined;
      for (const room of this.rooms()) {
        const step = await emptyRoom(room, namespace, isToStop);
        removed += step.removed;
        if (step.isStopped) return { removed, isEmpty: false, waitMs: 0 };
        waitMs = shorter(waitMs, step.waitMs);
      }
      if (removed === before) return { removed, isEmpty: waitMs === undefined, waitMs: waitMs ?? 0 };
    }
  }

  private rooms(): NamespacePurge[] {
    const instances = this.discovery.getProviders().filter((wrapper) => wrapper.isDependencyTreeStatic()).map((wrapper) => wrapper.instance as unknown);
    return [...new Set(instances)].filter((instance) => instance instanceof NamespacePurge);
  }
}

async function emptyRoom(room: NamespacePurge, namespace: string, isToStop: () => boolean): Promise<PurgeStep & { readonly isStopped: boolean }> {
  let removed = 0;
  for (;;) {
    const step = await removeSome(room, namespace);
    removed += step.removed;
    const isStopped = isToStop();
    if (isStopped || step.removed === 0) return { ...step, removed, isStopped };
  }
}

async function removeSome(room: NamespacePurge, namespace: string): Promise<PurgeStep> {
  try {
    return await room.removeSome(namespace, BATCH);
  } catch (cause) {
    throw new Error(`The ${room.what} of ${namespace} cannot be removed`, { cause });
  }
}

const shorter = (one: number | undefined, other: number | undefined) => (one === undefined || other === undefined ? (one ?? other) : Math.min(one, other));
