import type { RequestContext } from '@twinyard/auth';

/** A collection and its tip. */
export interface VisitedPlace {
  readonly itemId: string;
  readonly versionId: string;
}

const MOST = 10_000;

/**
 * Where callers have been, so that a second visit reads the items with the same question that looks the collection up. A guess: it may be
 * out of date, and what was read by it counts only when the look-up says the same. For each caller its own, so that nobody's question
 * touches a collection that it was never let into.
 */
export class VisitedPlaces {
  private readonly places = new Map<string, VisitedPlace>();

  get(ctx: RequestContext, key: string): VisitedPlace | undefined {
    return this.places.get(nameOf(ctx, key));
  }

  note(ctx: RequestContext, key: string, { itemId, versionId }: VisitedPlace): void {
    const name = nameOf(ctx, key);
    this.places.delete(name);
    this.places.set(name, { itemId, versionId });
    if (this.places.size > MOST) this.places.delete(this.places.keys().next().value as string);
  }

  forget(ctx: RequestContext, key: string): void {
    this.places.delete(nameOf(ctx, key));
  }
}

const nameOf = (ctx: RequestContext, key: string) => `${ctx.callerId} ${key}`;
