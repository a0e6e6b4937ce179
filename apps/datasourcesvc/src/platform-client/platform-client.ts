import { FilesClient } from './files-client';
import { ItemsClient } from './items-client';
import { NotificationsClient } from './notifications-client';
import type { PlatformHttp } from './http/platform-http';
import type { RunSecrets } from './run-secrets';
import { ScriptCalls } from './script-calls';

/** This platform's public API, with the rights of a run and within its namespaces. */
export class PlatformClient {
  readonly items: ItemsClient;
  readonly files: FilesClient;
  readonly notifications: NotificationsClient;
  readonly calls: ScriptCalls;

  constructor(private readonly http: PlatformHttp, private readonly namespaces: readonly string[], readonly secrets: RunSecrets) {
    this.items = new ItemsClient(http, namespaces);
    this.files = new FilesClient(http, namespaces);
    this.notifications = new NotificationsClient(http, namespaces);
    this.calls = new ScriptCalls(http);
  }

  /** The same, ended by another signal too. */
  within(signal: AbortSignal): PlatformClient {
    return new PlatformClient(this.http.within(signal), this.namespaces, this.secrets);
  }
}
