import type { PlatformHttp } from './http/platform-http';

const NOTIFICATION = '/notificationsvc/api/v1/notification';

export interface NoticeDraft {
  readonly _name: string;
  readonly _message?: string;
  readonly _data?: object;
  readonly _namespaces: readonly string[];
  /** The same again tells nobody twice. */
  readonly _eventId: string;
}

/** notificationsvc's public API, as far as components need it. */
export class NotificationsClient {
  constructor(
    private readonly http: PlatformHttp,
    private readonly namespaces: readonly string[],
  ) {}

  /** Who hears of it is for the triggers of the namespace. */
  async tell(notice: NoticeDraft): Promise<void> {
    const query = new URLSearchParams(this.namespaces.map((namespace): [string, string] => ['nsfilter', namespace]));
    await this.http.json('notificationsvc', { method: 'POST', path: `${NOTIFICATION}?${query}`, json: JSON.stringify(notice) });
  }
}
