import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { toEmail } from '../users/users.repository';

const OWNED = `(EXISTS (SELECT FROM organization WHERE pending_owner_email = $1) OR EXISTS (SELECT FROM app WHERE pending_owner_email = $1))`;

/** Addresses for which something waits: a place in a group, an organization or an application. */
@Injectable()
export class InvitedAddressesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async has(email: string): Promise<boolean> {
    return this.exists(`EXISTS (SELECT FROM invite WHERE email = $1 AND status = 'PENDING' AND expires_at > now()) OR ${OWNED}`, email);
  }

  /** As an owner. */
  async isAwaited(email: string): Promise<boolean> {
    return this.exists(OWNED, email);
  }

  private async exists(condition: string, email: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ found: boolean }[]>(`SELECT ${condition} AS found`, [toEmail(email)]);
    return row?.found === true;
  }
}
