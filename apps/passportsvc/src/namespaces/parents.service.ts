import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { CONSOLE_APP_ID, forbidden, isUuid, limitExceeded, type ResourceType } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { Parent } from './parent';
import { type Limited, type LimitHolder, ParentsRepository } from './parents.repository';

@Injectable()
export class Parents {
  constructor(private readonly parents: ParentsRepository) {}

  /**
   * Where the caller makes something of this type (contract 0.4): in the application of the token; with a console token and `_orgId`, in that
   * organization. @throws ServiceError `forbidden`, the same of an organization that there is not
   */
  async of(ctx: RequestContext, orgId: string | undefined, type: ResourceType): Promise<Parent> {
    const { appId } = ctx.principal;
    if (isAdministrative(appId) && orgId === undefined) throw forbidden('The token belongs to no application of an organization: take one that does, or name the organization as `_orgId`');
    const parent = isAdministrative(appId) && orgId !== undefined ? await this.organization(orgId) : await this.application(appId);
    if (parent === undefined) throw ctx.access.denial(['CREATE'], { type, id: '*', namespaces: [] });
    ctx.access.require('CREATE', { type, id: '*', namespaces: [parent.namespace] });
    return parent;
  }

  /** Refuses what would pass a limit of the organization or the application, also when others create at the same time. */
  async reserve(tx: TypeOrmTx, parent: Parent, limited: Limited, adding: number): Promise<void> {
    if (parent.orgId !== null) await this.reserveIn(tx, { holder: 'organization', id: parent.orgId }, limited, adding);
    if (parent.appId !== null) await this.reserveIn(tx, { holder: 'app', id: parent.appId }, limited, adding);
  }

  organization(id: string): Promise<Parent | undefined> {
    return isUuid(id) ? this.parents.findOrganization(id) : Promise.resolve(undefined);
  }

  private async reserveIn(tx: TypeOrmTx, { holder, id }: { holder: LimitHolder; id: string }, limited: Limited, adding: number): Promise<void> {
    const limits = await this.parents.lock(tx, holder, id);
    if (limits === undefined) throw forbidden();
    const limit = limits[`${limited}.limit`];
    if (limit === undefined) return;
    if ((await this.parents.count(tx, limited, holder, id)) + adding > limit) throw limitExceeded(`${limited}.limit is ${limit}`);
  }

  private application(id: string | undefined): Promise<Parent | undefined> {
    return id === undefined ? Promise.resolve(undefined) : this.parents.findApplication(id);
  }
}

/** The console, and clients, which belong to no application, name the organization themselves. */
const isAdministrative = (appId: string | undefined) => appId === CONSOLE_APP_ID || appId === undefined;
