import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { AuditPlacesRepository } from './audit-places.repository';

/** Whose log tells of what lies in no namespace: a sign-in, a client. Empty: that of the platform. */
@Injectable()
export class AuditPlaces {
  constructor(private readonly places: AuditPlacesRepository) {}

  /** The organization of an application: its owners answer for who comes in there. */
  async ofApplication(tx: TypeOrmTx, appId: string | undefined): Promise<readonly string[]> {
    return appId === undefined ? [] : this.places.findOfApplication(tx, appId);
  }

  async ofOrganization(tx: TypeOrmTx, orgId: string | null): Promise<readonly string[]> {
    return orgId === null ? [] : this.places.findOfOrganization(tx, orgId);
  }
}
