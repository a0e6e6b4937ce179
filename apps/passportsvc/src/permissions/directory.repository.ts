import { Injectable } from '@nestjs/common';
import { isUuid } from '@twinyard/conventions';
import { DataSource } from 'typeorm';

/** Which principals there are; the tables belong to the features that write them. */
@Injectable()
export class DirectoryRepository {
  constructor(private readonly dataSource: DataSource) {}

  hasUser(id: string): Promise<boolean> {
    return this.exists('SELECT EXISTS (SELECT FROM app_user WHERE id = $1) AS found', id);
  }

  hasUserGroup(id: string): Promise<boolean> {
    return this.exists('SELECT EXISTS (SELECT FROM usergroup WHERE id = $1) AS found', id);
  }

  hasClient(id: string): Promise<boolean> {
    return this.exists('SELECT EXISTS (SELECT FROM oauth_client WHERE id = $1) AS found', id);
  }

  hasProfile(id: string): Promise<boolean> {
    return this.exists('SELECT EXISTS (SELECT FROM permission_profile WHERE id = $1) AS found', id);
  }

  async groupIdsOf(userId: string): Promise<string[]> {
    if (!isUuid(userId)) return [];
    const rows = await this.dataSource.query<{ group_id: string }[]>('SELECT group_id FROM usergroup_member WHERE user_id = $1', [userId]);
    return rows.map((row) => row.group_id);
  }

  private async exists(sql: string, id: string): Promise<boolean> {
    const [row] = await this.dataSource.query<{ found: boolean }[]>(sql, [id]);
    return row?.found === true;
  }
}
