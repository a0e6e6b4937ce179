import { Injectable } from '@nestjs/common';
import { StoreRoom } from '../store-room';

export type ReadinessCheck = () => Promise<void>;

/** What must answer before a service takes requests. Each part of a service adds its own. */
@Injectable()
export class ReadinessChecks {
  private readonly checks = new Map<string, ReadinessCheck>();
  private draining = false;

  /** `check` rejects while its part is not ready. */
  add(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** From now on the service answers that it is not ready, so that no new request is sent to it. */
  drain(): void {
    this.draining = true;
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** Names of the parts that are not ready; empty when all are. */
  async failing(): Promise<string[]> {
    if (this.draining) return ['draining'];
    const full = StoreRoom.ofProcess.isFull ? ['room in the store'] : [];
    const results = await Promise.all([...this.checks].map(([name, check]) => isFailing(check).then((fails) => (fails ? name : undefined))));
    return [...full, ...results.filter((name) => name !== undefined)];
  }
}

async function isFailing(check: ReadinessCheck): Promise<boolean> {
  try {
    await check();
    return false;
  } catch {
    return true;
  }
}
