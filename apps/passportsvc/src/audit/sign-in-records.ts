import { Injectable } from '@nestjs/common';
import { formatIrn } from '@twinyard/conventions';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import type { AuditFact } from './audit-fact';
import { AuditLog } from './audit-log';
import { AuditPlaces } from './audit-places';

/** What is known of somebody at the door. */
export interface Visit {
  /** The application that is signed in to. */
  readonly appId: string | undefined;
  /** `password`, or the id of an identity provider. */
  readonly method: string;
  readonly address: string;
  readonly requestId: string;
}

export const ANONYMOUS = 'anonymous';

/** Who was let in and who was not, for the owners of the organization whose application it was. */
@Injectable()
export class SignInRecords {
  constructor(
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly log: AuditLog,
    private readonly places: AuditPlaces,
  ) {}

  /** Before the browser gets its session: nobody comes in unrecorded. */
  async signedIn(visit: Visit, userId: string): Promise<void> {
    await this.unitOfWork.run(async (tx) => {
      const namespace = await this.places.ofApplication(tx, visit.appId);
      await this.log.record(tx, { ...visit, id: userId }, { ...factOf('SIGN_IN', visit), namespace });
    });
  }

  /** An owner must not learn from it whether there is an account: tenants read the same of one that is and one that is not. */
  async refused(visit: Visit, reason: 'refused' | 'slowed', userId?: string): Promise<void> {
    await this.unitOfWork.run((tx) => this.recordRefusal(tx, visit, reason, userId));
  }

  private async recordRefusal(tx: TypeOrmTx, visit: Visit, reason: string, userId: string | undefined): Promise<void> {
    const { details, ...fact } = factOf('SIGN_IN_FAILED', visit);
    const namespace = await this.places.ofApplication(tx, visit.appId);
    const facts: AuditFact[] = [{ ...fact, details: { ...details, reason, ...(userId !== undefined && { userId }) } }];
    if (namespace.length > 0) facts.push({ ...fact, details: { ...details, reason }, namespace });
    await this.log.record(tx, { ...visit, id: ANONYMOUS }, ...facts);
  }
}

const factOf = (action: string, { appId, method }: Visit): AuditFact => ({ action, irn: formatIrn('passportsvc', 'app', appId ?? '*'), details: { method } });
