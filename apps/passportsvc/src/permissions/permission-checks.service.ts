import { Injectable } from '@nestjs/common';
import { type EffectiveGrants, type Grant, GrantSource, type RequestContext } from '@twinyard/auth';
import { type Action, forbidden, type Irn, irnCovers, parseIrn, type PermissionRecord, type Principal, type ResourceCriteria, scopeAllows } from '@twinyard/conventions';
import type { PermissionQuestionDto } from './permission-check.dto';
import { PermissionsRepository, type PrincipalRef } from './permissions.repository';
import { toPermissionRecord } from './permission.dto';

export interface PermissionQuestion {
  readonly asked: PermissionQuestionDto;
  readonly irn: Irn;
}

export interface PermissionAnswer extends PermissionQuestionDto {
  readonly _allowed: boolean;
  readonly _because: readonly (PermissionRecord & { readonly _through?: PrincipalRefRecord })[];
}

interface PrincipalRefRecord {
  readonly _type: PrincipalRef['type'];
  readonly _id: string;
}

/** Both scopes: what somebody else could do with any token of theirs. */
const ANY_TOKEN = ['read', 'write'];

/** Explains why something is allowed, or that nothing allows it. Inheritance from folders is filesvc's and is not seen here. */
@Injectable()
export class PermissionChecks {
  constructor(
    private readonly grants: GrantSource,
    private readonly permissions: PermissionsRepository,
  ) {}

  /** One after the other: a request has one place, and asks for one thing at a time. */
  async explain(ctx: RequestContext, questions: readonly PermissionQuestion[]): Promise<PermissionAnswer[]> {
    for (const { asked } of questions) requireMayAsk(ctx, asked);
    const holders = new Map<string, Holder>();
    const answers: PermissionAnswer[] = [];
    for (const question of questions) {
      const principal = principalOf(ctx, question.asked);
      const key = JSON.stringify(principal);
      const holder = holders.get(key) ?? (await this.holderOf(ctx, principal));
      holders.set(key, holder);
      answers.push(answer(question, holder));
    }
    return answers;
  }

  private async holderOf(ctx: RequestContext, { type, id }: PrincipalRef): Promise<Holder> {
    if (type === 'usergroup' || type === 'permprofile') {
      const records = (await this.permissions.grantsOf([{ type, id }], '*')).map(toPermissionRecord);
      return { id, scopes: ANY_TOKEN, active: true, records };
    }
    const isSelf = type === ctx.principal.type && id === ctx.principal.id;
    const principal: Principal = isSelf ? ctx.principal : { type, id, tokenId: '', scopes: ANY_TOKEN };
    const effective: EffectiveGrants = await this.grants.resolve(principal);
    return { id, scopes: principal.scopes, active: effective.active, records: effective.grants.map(toRecord) };
  }
}

/** Who is asked about, with everything that it holds. */
interface Holder {
  readonly id: string;
  readonly scopes: readonly string[];
  readonly active: boolean;
  readonly records: readonly PermissionRecord[];
}

const principalOf = (ctx: RequestContext, { _user }: PermissionQuestionDto): PrincipalRef =>
  _user == null ? { type: ctx.principal.type, id: ctx.principal.id } : { type: _user._type, id: _user._id };

function requireMayAsk(ctx: RequestContext, asked: PermissionQuestionDto): void {
  const { type, id } = principalOf(ctx, asked);
  const isSelf = type === ctx.principal.type && id === ctx.principal.id;
  const owns = ctx.access.ownsNamespace(asked._namespace);
  if (!isSelf && !owns) throw forbidden(`Only an owner of ${asked._namespace} may ask about others`);
}

function answer({ asked, irn }: PermissionQuestion, { id, scopes, active, records }: Holder): PermissionAnswer {
  const because = records.filter((record) => record._namespace === asked._namespace && allows(record, asked, irn));
  const isAllowed = active && because.length > 0 && scopeAllows(scopes, asked._action);
  return {
    ...asked,
    _allowed: isAllowed,
    _because: because.map((record) => ({ ...record, ...(record._user._id !== id && { _through: record._user }) })),
  };
}

function allows({ _actions, _resourceDesc }: PermissionRecord, { _action, _criteria, _subresourceDesc: part }: PermissionQuestionDto, irn: Irn): boolean {
  if (!irnCovers(parseIrn(_resourceDesc._irn), irn) || !meets(_criteria ?? {}, _resourceDesc._criteria ?? {})) return false;
  const holds = (action: Action) => _actions.includes('*') || _actions.includes(action);
  const { _subresourceDesc: granted } = _resourceDesc;
  // A permission on related items of a collection says nothing of the collection as a whole.
  if (part == null) return granted === undefined && holds(_action);
  return granted === undefined ? actionsOnCollection(_action).some(holds) : holds(_action) && isPartOf(part._criteria, granted._criteria);
}

/** Contract 0.4: EDIT on a collection covers making, changing and deleting its related items, CREATE on it adding some. */
function actionsOnCollection(action: Action): readonly Action[] {
  if (action === 'CREATE') return ['EDIT', 'CREATE'];
  return action === 'DELETE' ? ['EDIT'] : [action];
}

/** Items with at least the values that were granted; an array has each of its elements. */
const isPartOf = (known: Fields, granted: Fields) => Object.entries(granted).every(([field, value]) => ([known[field] ?? null].flat() as readonly unknown[]).includes(value));

type Fields = Readonly<Record<string, unknown>>;

const meets = (known: ResourceCriteria, wanted: ResourceCriteria) =>
  (wanted._itemClass === undefined || wanted._itemClass === known._itemClass) && (wanted._userType === undefined || wanted._userType === known._userType);

const toRecord = ({ permissionId, namespace, actions, irn, criteria, subresource, via }: Grant): PermissionRecord => ({
  _id: permissionId,
  _namespace: namespace,
  _actions: actions,
  _resourceDesc: { _irn: irn, ...(criteria && { _criteria: criteria }), ...(subresource && { _subresourceDesc: subresource }) },
  _user: { _type: via.type, _id: via.id },
});
