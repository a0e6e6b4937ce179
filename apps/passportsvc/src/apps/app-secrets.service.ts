import { Injectable } from '@nestjs/common';
import { deriveScopes, type KeepAnswer, type RequestContext } from '@twinyard/auth';
import { forbidden, notFound } from '@twinyard/conventions';
import { AuditLog } from '../audit/audit-log';
import { ClientSecrets } from '../clients/client-secrets';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { AppsRepository } from './apps.repository';
import { AppsService } from './apps.service';

/** What an application can ask for as itself. */
const APPLICATION_SCOPES = ['read', 'write'];

interface SecretChange {
  readonly clientSecretHash: string | null;
  /** In the audit log. */
  readonly action: string;
}

/**
 * The secret by which an application that runs on a server says who it is (RFC 6749 section 2.3). One that has none is a public
 * client, as those in browsers and on phones are.
 */
@Injectable()
export class AppSecrets {
  constructor(
    private readonly apps: AppsService,
    private readonly repository: AppsRepository,
    private readonly secrets: ClientSecrets,
    private readonly feed: GrantFeed,
    private readonly audit: AuditLog,
  ) {}

  /** A new secret, told this once; the old one, and what the application got as itself with it, stop working at once. */
  async replace(ctx: RequestContext, id: string, keep?: KeepAnswer<string>): Promise<string> {
    deriveScopes(ctx.principal, 'applicationSecret', APPLICATION_SCOPES);
    const secret = this.secrets.generate();
    await this.store(ctx, id, { clientSecretHash: this.secrets.hash(secret), action: 'ROTATE_SECRET' }, keep && ((tx) => keep(tx, secret)));
    return secret;
  }

  /** Makes a public client of it. */
  async remove(ctx: RequestContext, id: string, keep?: KeepAnswer<void>): Promise<void> {
    await this.store(ctx, id, { clientSecretHash: null, action: 'DELETE_SECRET' }, keep);
  }

  private async store(ctx: RequestContext, id: string, { clientSecretHash, action }: SecretChange, keep?: KeepAnswer<void>): Promise<void> {
    const app = await this.apps.getFor(ctx, 'EDIT', id);
    // Whatever it is told everybody can read.
    if (app.orgId === null) throw forbidden('The console is a page in a browser, and has no secret');
    await this.feed.commit(async (tx) => {
      const changes = { clientSecretHash, updatedAt: new Date(), updatedById: ctx.callerId };
      if (!(await this.repository.update(tx, app.id, changes))) throw notFound('application', id);
      await this.audit.record(tx, ctx, { action, irn: `passportsvc:app:${app.id}`, namespace: app.namespace });
      return { result: undefined, keys: [`client:${app.id}`] };
    }, keep);
  }
}
