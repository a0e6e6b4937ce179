import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Whose users SCIM made, for the other rooms of this service. */
@Injectable()
export class ProvisionedUsers {
  constructor(private readonly dataSource: DataSource) {}

  /** Whether a SCIM client of this organization made the account: the organization may then speak for its address. */
  async isProvisionedBy(userId: string, orgId: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ found: boolean }[]>(
      'SELECT EXISTS (SELECT FROM scim_user WHERE user_id = $1 AND org_id = $2) AS found', [userId, orgId],
    );
    return row?.found === true;
  }
}
