import type { Principal } from '@twinyard/conventions';
import type { EffectiveGrants } from './grants';

/** Where grants come from: passportsvc asks its database, every other service its cache of passportsvc's answers. */
export abstract class GrantSource {
  /** @throws ServiceError `unavailable` when nobody can say what the principal may do. */
  abstract resolve(principal: Principal): Promise<EffectiveGrants>;

  /** What `resolve` would say, where that is known right now. */
  abstract known(principal: Principal): EffectiveGrants | undefined;
}
