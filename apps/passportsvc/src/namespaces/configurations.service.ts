import { Injectable } from '@nestjs/common';
import type { KeepAnswer } from '@twinyard/auth';
import { notFound } from '@twinyard/conventions';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { LimitValues } from '../apps/app.entity';
import { type LimitHolder, ParentsRepository } from './parents.repository';

/** Limits of one organization or application, which its service has found the caller to have the right to. */
@Injectable()
export class Configurations {
  constructor(
    private readonly parents: ParentsRepository,
    private readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}

  async get(holder: LimitHolder, id: string): Promise<LimitValues> {
    const limits = await this.parents.findConfiguration(holder, id);
    if (limits === undefined) throw notFound('configuration of', id);
    return limits;
  }

  async replace(holder: LimitHolder, id: string, limits: LimitValues, keep?: KeepAnswer<LimitValues>): Promise<LimitValues> {
    return this.write(holder, id, () => limits, keep);
  }

  /** Answers the keys that were given (specification 1). */
  async merge(holder: LimitHolder, id: string, limits: LimitValues, keep?: KeepAnswer<LimitValues>): Promise<LimitValues> {
    await this.write(holder, id, (before) => ({ ...before, ...limits }), keep && ((tx) => keep(tx, limits)));
    return limits;
  }

  async clear(holder: LimitHolder, id: string, keep?: KeepAnswer<void>): Promise<void> {
    await this.get(holder, id);
    await this.unitOfWork.run(async (tx) => {
      await this.parents.configure(tx, holder, id, null);
      await keep?.(tx);
    });
  }

  private write(holder: LimitHolder, id: string, change: (before: LimitValues) => LimitValues, keep?: KeepAnswer<LimitValues>): Promise<LimitValues> {
    return this.unitOfWork.run(async (tx) => {
      const before = await this.parents.lock(tx, holder, id);
      if (before === undefined) throw notFound(holder, id);
      const after = change(before);
      await this.parents.configure(tx, holder, id, after);
      await keep?.(tx, after);
      return after;
    });
  }
}
