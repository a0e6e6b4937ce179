import { Injectable } from '@nestjs/common';
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

  async replace(holder: LimitHolder, id: string, limits: LimitValues): Promise<LimitValues> {
    return this.write(holder, id, () => limits);
  }

  /** Answers the keys that were given (specification 1). */
  async merge(holder: LimitHolder, id: string, limits: LimitValues): Promise<LimitValues> {
    await this.write(holder, id, (before) => ({ ...before, ...limits }));
    return limits;
  }

  async clear(holder: LimitHolder, id: string): Promise<void> {
    await this.get(holder, id);
    await this.unitOfWork.run((tx) => this.parents.configure(tx, holder, id, null));
  }

  private write(holder: LimitHolder, id: string, change: (before: LimitValues) => LimitValues): Promise<LimitValues> {
    return this.unitOfWork.run(async (tx) => {
      const before = await this.parents.lock(tx, holder, id);
      if (before === undefined) throw notFound(holder, id);
      const after = change(before);
      await this.parents.configure(tx, holder, id, after);
      return after;
    });
  }
}
