import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { PassportClient, type RequestContext } from '@twinyard/auth';
import { forbidden, invalidField } from '@twinyard/conventions';
import { type Orchestrator, type OrchestratorStep, orchestratorTarget } from './orchestrator.entity';

export type AssignedOrchestrator = Pick<Orchestrator, 'namespaces' | 'permissionProfileId' | 'steps'>;

/** Who may say what is done with the rights of a permission profile (contract 5). */
@Injectable()
export class ProfileAssignment {
  constructor(private readonly passport: PassportClient) {}

  /**
   * A profile that is attached, brought to another namespace or given other tasks needs ASSIGN on the orchestrator and on the profile, in
   * every namespace that runs can act in. What is not there is a bad field, and so is whatever the caller may not see.
   */
  async require(ctx: RequestContext, next: AssignedOrchestrator, stored?: AssignedOrchestrator & { readonly id: string }): Promise<void> {
    const { permissionProfileId: profileId, namespaces } = next;
    if (profileId === null || (stored !== undefined && !changesWhatItDoes(next, stored))) return;
    ctx.access.requireInAll('ASSIGN', orchestratorTarget(namespaces.filter((namespace) => ctx.namespaces.includes(namespace)), stored?.id));
    const { verdict } = await this.passport.assignableProfile({ principal: ctx.principal, profileId, namespaces });
    if (verdict === 'unknown') throw invalidField('_permissionprofileid', 'names no permission profile of the orchestrator\'s namespaces');
    if (verdict === 'forbidden') throw forbidden('This permission profile may be assigned by who holds ASSIGN on it');
  }
}

function changesWhatItDoes(next: AssignedOrchestrator, stored: AssignedOrchestrator): boolean {
  return next.permissionProfileId !== stored.permissionProfileId
    || next.namespaces.some((namespace) => !stored.namespaces.includes(namespace))
    || !isDeepStrictEqual(next.steps.map(taskOf), stored.steps.map(taskOf));
}

/** Steps that are sent anew have new ids, and a name does nothing. */
const taskOf = ({ componentId, sequenceNo, actualParams, retry, timeout }: OrchestratorStep) => ({ componentId, sequenceNo, actualParams, retry, timeout });
