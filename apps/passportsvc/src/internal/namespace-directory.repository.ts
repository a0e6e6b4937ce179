import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface NamespaceApplication {
  readonly namespace: string;
  readonly appId?: string;
  readonly applicationName?: string;
}

@Injectable()
export class NamespaceDirectoryRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Origins that applications register, and those of their redirect URIs (contract 0.1). */
  async registeredOrigins(): Promise<string[]> {
    const rows = await this.dataSource.query<{ address: string }[]>('SELECT DISTINCT unnest(authorized_origins || redirect_uris) AS address FROM app');
    return [...new Set(rows.flatMap(({ address }) => originOf(address)))];
  }

  async applicationsOf(namespaces: readonly string[]): Promise<NamespaceApplication[]> {
    const rows = await this.dataSource.query<{ name: string; app_id: string | null; app_name: string | null }[]>(
      'SELECT n.name, n.app_id, a.name AS app_name FROM namespace n LEFT JOIN app a ON a.id = n.app_id WHERE n.name = ANY($1)',
      [namespaces],
    );
    return rows.map((row) => ({
      namespace: row.name, ...(row.app_id !== null && { appId: row.app_id }), ...(row.app_name !== null && { applicationName: row.app_name }),
    }));
  }
}

function originOf(address: string): string[] {
  const origin = URL.canParse(address) ? new URL(address).origin : 'null';
  return origin === 'null' ? [] : [origin];
}
