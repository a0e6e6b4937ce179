import { FilesClient } from './files-client';
import { ItemsClient } from './items-client';
import type { PlatformHttp } from './platform-http';
import type { RunSecrets } from './run-secrets';

/** This platform's public API, with the rights of a run and within its namespaces. */
export class PlatformClient {
  readonly items: ItemsClient;
  readonly files: FilesClient;

  constructor(http: PlatformHttp, namespaces: readonly string[], readonly secrets: RunSecrets) {
    this.items = new ItemsClient(http, namespaces);
    this.files = new FilesClient(http, namespaces);
  }
}
