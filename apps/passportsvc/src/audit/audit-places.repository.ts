import { Injectable } from '@nestjs/common';
import type { TypeOrmTx } from '@twinyard/service-kit';

interface Row {
  readonly namespace: string;
}

@Injectable()
export class AuditPlacesRepository {
  async findOfOrganization(tx: TypeOrmTx, orgId: string): Promise<string[]> {
    return namesOf(await tx.query<Row>('SELECT namespace FROM organization WHERE id = $1', [orgId]));
  }

  async findOfApplication(tx: TypeOrmTx, appId: string): Promise<string[]> {
    return namesOf(await tx.query<Row>('SELECT o.namespace FROM app a JOIN organization o ON o.id = a.org_id WHERE a.id = $1', [appId]));
  }
}

const namesOf = (rows: readonly Row[]) => rows.map(({ namespace }) => namespace);
