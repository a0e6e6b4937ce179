import { Injectable } from '@nestjs/common';
import { formatIrn } from '@twinyard/conventions';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { AuditLog } from './audit-log';
import { AuditPlaces } from './audit-places';

/** How and from where somebody comes in. */
export interface SignInSource {
  /** The application that is signed in to. */
  readonly appId: string;
  /** As `amr` names it (RFC 8176): `pwd`, … */
  readonly method: string;
  readonly address: string;
  readonly requestId: string;
}

/** Who was not let in. */
const ANONYMOUS = 'anonymous';

/** Who was let in and that somebody was not, for the owners of the organization whose application it was. */
@Injectable()
export class SignInRecords {
  constructor(
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly log: AuditLog,
    private readonly places: AuditPlaces,
  ) {}

  /** Before the browser gets its session: nobody comes in unrecorded. */
  async signedIn(source: SignInSource, userId: string): Promise<void> {
    await this.record('SIGN_IN', source, userId);
  }

  /** Tells not for which account: an owner must not learn here whether there is one. Wrong passwords are slowed down, so there are few. */
  async refused(source: SignInSource): Promise<void> {
    await this.record('SIGN_IN_FAILED', source, ANONYMOUS);
  }

  private async record(action: string, { appId, method, address, requestId }: SignInSource, id: string): Promise<void> {
    const irn = formatIrn('passportsvc', 'app', appId);
    await this.unitOfWork.run(async (tx) => {
      const namespace = await this.places.ofApplication(tx, appId);
      await this.log.record(tx, { id, address, requestId }, { action, irn, namespace, details: { method } });
    });
  }
}
