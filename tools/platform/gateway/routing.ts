import { SERVICES, type ServiceName } from '@twinyard/conventions';

/** First path segments and who serves them. The three version paths of contract 2.1 are written without a prefix. */
const OWNERS = new Map<string, ServiceName>([...SERVICES.map((service) => [service, service] as const), ['nameduseritems', 'itemsvc']]);

/**
 * Routes by the first path segment and nothing else; the path is passed on as it came. What a service serves beside its own
 * prefix (health, metrics, `/internal`) has another first segment and so is out of reach from here (contract 0.6).
 */
export function ownerOf(path: string): ServiceName | undefined {
  return OWNERS.get(/^\/([a-z]+)(?=\/|$)/.exec(path)?.[1] ?? '');
}

export const pathOf = (url: string): string => url.split('?', 1)[0] ?? '/';

/** A path that could mean another one to whoever decodes it: dot segments in any spelling, a bad escape, a backslash. */
export function isAmbiguous(path: string): boolean {
  try {
    return decodeURIComponent(path).split(/[/\\]/).some((segment) => segment === '.' || segment === '..');
  } catch {
    return true;
  }
}

/** What the gateway's own paths are answered under. */
export const OWN_METHODS = ['GET', 'HEAD'] as const;
