import type { Principal } from '@twinyard/conventions';
import type { EffectiveGrants } from './grants';
import { withinRun } from './run-bounds';

/** Where grants come from: passportsvc asks its database, every other service its cache of passportsvc's answers. */
export abstract class GrantSource {
  /**
   * What the principal may do with this token. The bounds of a run are drawn here, where everybody asks.
   * @throws ServiceError `unavailable` when nobody can say what the principal may do.
   */
  async resolve(principal: Principal): Promise<EffectiveGrants> {
    return withinRun(principal, await this.held(principal));
  }

  /** What `resolve` would say, where that is known right now. */
  known(principal: Principal): EffectiveGrants | undefined {
    const held = this.heldNow(principal);
    return held && withinRun(principal, held);
  }

  /** All that the principal holds, by whatever token. */
  protected abstract held(principal: Principal): Promise<EffectiveGrants>;

  protected abstract heldNow(principal: Principal): EffectiveGrants | undefined;
}
