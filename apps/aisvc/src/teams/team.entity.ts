import type { Target } from '@twinyard/auth';
import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FlowEdge } from './team-flow';

export interface TeamAgent {
  readonly userType: string;
}

@Entity('team')
export class Team extends AuthoredEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text', { array: true })
  namespaces!: string[];

  @Column('jsonb')
  agents!: readonly TeamAgent[];

  @Column('jsonb')
  flow!: readonly FlowEdge[];
}

/** What permissions on a team are asked with; `*` for one that is not there yet. */
export const teamTarget = (namespaces: readonly string[], id = '*'): Target => ({ type: 'aisvc:team', id, namespaces });
