import { FilesClient } from './files-client';
import { ItemsClient } from './items-client';
import type { PlatformHttp } from './platform-http';

/** This platform's public API, with the rights of a run and within its namespaces. */
export class PlatformClient {
  readonly items: ItemsClient;
  readonly files: FilesClient;

  constructor(http: PlatformHttp, namespaces: readonly string[]) {
    this.items = new ItemsClient(http, namespaces);
    this.files = new FilesClient(http, namespaces);
  }
}
