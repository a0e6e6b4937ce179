import { forbidden } from '@twinyard/conventions';
import type { AnswerFileBounds } from './file-answer/answer-file-bounds';
import type { HostPatterns } from './host-patterns';

/** What the operator lets steps call. */
export interface RestRules {
  readonly hosts: HostPatterns;
  /** Whether a host may be at a private address. */
  readonly allowPrivate: boolean;
  /** Of answers that become files. */
  readonly files: AnswerFileBounds;
}

/** `what`: what names the address. @throws ServiceError `forbidden` */
export function requireHost({ hosts }: RestRules, url: URL, what = 'The url'): void {
  if (hosts.isEmpty) throw forbidden('No host may be called: REST_CONNECTOR_HOSTS names none');
  if (!hosts.allows(url)) throw forbidden(`${what} names the host ${url.host}, which is none of REST_CONNECTOR_HOSTS`);
}
