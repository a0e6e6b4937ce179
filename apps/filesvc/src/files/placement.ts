import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { conflict, invalidField, invalidFields, isUuid, limitExceeded } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { FileEntity } from './file.entity';
import { FileNamesRepository } from './file-names.repository';
import { fileTarget, rootTarget } from './file-target';
import { FileTreeRepository } from './file-tree.repository';
import { FilesRepository } from './files.repository';

/** Where something is to be: in a folder, or at the root. */
export interface Place {
  readonly namespaces: readonly string[];
  readonly parentId: string | null;
  readonly parent?: FileEntity;
  /** The folder and those above it. */
  readonly ancestorIds: readonly string[];
}

/** What it is found by. */
export type PlaceOf = Pick<Place, 'parentId' | 'namespaces'>;

export interface NamedPlace {
  readonly place: Place;
  readonly name: string;
}

export interface Claim<T> {
  /** It is locked. */
  readonly goOnWith: (file: FileEntity) => Promise<T>;
  readonly make: () => Promise<T | undefined>;
}

const MAX_TRIES = 10;

/** Own. Each record knows all folders above it, so a chain of them costs the square of its length. */
const MAX_LEVELS = 100;

const missingParent = () => invalidField('_parents', 'names no folder');

export function requireFolder(place: Place | undefined): Place {
  if (place === undefined) throw missingParent();
  return place;
}

export const nameTaken = (name: string) => conflict(`There is already something named ${JSON.stringify(name)} there`);

/** Contract 0.1: a body's `_namespaces` outside `nsfilter` is 400. */
export function requireWithinFilter(ctx: RequestContext, namespaces: readonly string[]): void {
  const issues = namespaces.filter((name) => !ctx.namespaces.includes(name)).map((name) => ({ field: '_namespaces', issue: `${name} is not in nsfilter` }));
  if (issues.length > 0) throw invalidFields(issues);
}

/** Who may put what where. */
@Injectable()
export class Placement {
  constructor(
    private readonly files: FilesRepository,
    private readonly tree: FileTreeRepository,
    private readonly names: FileNamesRepository,
  ) {}

  /** Refused (400) when there is no such folder, when it is a file, or when it lies in other namespaces. */
  async open(tx: TypeOrmTx, draft: PlaceOf): Promise<Place> {
    return requireFolder(await this.find(tx, draft));
  }

  /** `undefined` when there is no such folder. */
  async find(tx: TypeOrmTx, { parentId, namespaces }: PlaceOf): Promise<Place | undefined> {
    if (parentId === null) return { namespaces, parentId, ancestorIds: [] };
    const found = await this.files.readPlaced(tx, parentId);
    if (found?.file.type !== 'dir') return undefined;
    const { file: parent, ancestorIds } = found;
    return { namespaces, parentId: parent.id, parent, ancestorIds: [parent.id, ...ancestorIds] };
  }

  /** What already has the name there, if anything, locked. */
  private async occupant(tx: TypeOrmTx, ctx: RequestContext, { place, name }: NamedPlace): Promise<FileEntity | undefined> {
    const [id, ...others] = await this.holders(tx, place, name);
    if (others.length > 0) this.refuseTaken(ctx, place, name);
    return id === undefined ? undefined : this.files.lock(tx, id);
  }

  /**
   * As `open`, unless the place is known, and `requireUpload` of each of these names, by what has them now: for refusing before anything is
   * stored. Nothing is held still, and the transaction that makes the records asks again. With the names that something has.
   */
  async openForUploads(tx: TypeOrmTx, ctx: RequestContext, at: { readonly draft: PlaceOf; readonly place: Place | undefined }, names: readonly string[]): Promise<{ readonly place: Place; readonly taken: Iterable<string> }> {
    const { parentId } = at.draft;
    if (parentId !== null && !isUuid(parentId)) throw missingParent();
    const [found, held] = await tx.together(async () => at.place ?? this.find(tx, at.draft), () => this.names.holdersOf(tx, at.draft, names));
    const place = requireFolder(found);
    if (held.size < new Set(names).size) this.requireUpload(ctx, place, undefined);
    for (const [name, [id, ...others]] of held) {
      if (others.length > 0) this.refuseTaken(ctx, place, name);
      this.requireUpload(ctx, place, id === undefined ? undefined : await this.files.read(tx, id));
    }
    return { place, taken: held.keys() };
  }

  holders(tx: TypeOrmTx, place: Place, name: string): Promise<string[]> {
    return this.names.holders(tx, place, name);
  }

  /**
   * Goes on with what has the name there, or makes what is to have it; who may do neither is refused. `make` gives nothing when somebody
   * else has just taken the name; who gives it up again meanwhile is found out by another try, several times only when others delete it.
   */
  async claim<T>(tx: TypeOrmTx, ctx: RequestContext, at: NamedPlace, { goOnWith, make }: Claim<T>): Promise<T> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const occupant = await this.occupant(tx, ctx, at);
      this.requireUpload(ctx, at.place, occupant);
      if (occupant !== undefined) return goOnWith(occupant);
      const made = await make();
      if (made !== undefined) return made;
    }
    throw nameTaken(at.name);
  }

  /** CREATE on the folder, or on everything at the root; and the folder must be one that the caller is allowed to know of. */
  requireCreate(ctx: RequestContext, place: Place): void {
    this.requireKnown(ctx, place);
    ctx.access.requireInAll('CREATE', this.targetOf(place));
    requireSameNamespaces(place);
    requireLevels(place.ancestorIds.length + 1);
  }

  /** As CREATE was for what was begun there: who knows of that is not told that its folder is none. */
  requireGoOn(ctx: RequestContext, place: Place): void {
    ctx.access.requireInAll('CREATE', this.targetOf(place));
  }

  /** What is moved takes with it what is below. */
  async requireLevels(tx: TypeOrmTx, id: string, place: Place): Promise<void> {
    requireLevels(place.ancestorIds.length + 1 + (await this.tree.readHeight(tx, id)));
  }

  /** A new version needs EDIT on the file; a new file needs CREATE. A folder of that name is in the way. */
  requireUpload(ctx: RequestContext, place: Place, occupant: FileEntity | undefined): void {
    if (occupant === undefined) return this.requireCreate(ctx, place);
    const target = fileTarget(occupant, place.ancestorIds);
    const isOwn = isPendingOf(ctx, occupant);
    if (isOwn) this.requireCreate(ctx, place);
    const isSeen = ctx.access.holds('READ', target);
    if (!isSeen) this.requireKnown(ctx, place);
    if (occupant.type === 'dir' && isSeen) throw nameTaken(occupant.name);
    if (occupant.type === 'dir') this.refuseTaken(ctx, place, occupant.name);
    if (!isOwn) ctx.access.require('EDIT', target);
    // A version would not be seen in a namespace that the file is not in.
    if (place.namespaces.some((name) => !occupant.namespaces.includes(name))) throw nameTaken(occupant.name);
  }

  /** 409, as far as the caller may know of it: who may make nothing there hears the same as of a name that is free. */
  private refuseTaken(ctx: RequestContext, place: Place, name: string): never {
    this.requireCreate(ctx, place);
    throw nameTaken(name);
  }

  /** A folder that the caller may neither read nor fill does not exist for it. */
  private requireKnown(ctx: RequestContext, place: Place): void {
    if (place.parent === undefined) return;
    const target = fileTarget(place.parent, place.ancestorIds);
    if (!ctx.access.holds('READ', target) && !ctx.access.holds('CREATE', target)) throw missingParent();
  }

  private targetOf({ parent, namespaces, ancestorIds }: Place) {
    return parent === undefined ? rootTarget(namespaces) : { ...fileTarget(parent, ancestorIds), namespaces };
  }
}

/** Who made a record that has no version yet may go on with it by the right that making it needed. */
const isPendingOf = (ctx: RequestContext, file: FileEntity) => file.type === 'file' && file.tipId === null && file.createdById === ctx.callerId;

function requireSameNamespaces({ parent, namespaces }: Place): void {
  const outside = parent === undefined ? [] : namespaces.filter((name) => !parent.namespaces.includes(name));
  if (outside.length > 0) throw invalidField('_namespaces', `${outside.join(', ')} is not among those of the folder`);
}

function requireLevels(levels: number): void {
  if (levels > MAX_LEVELS) throw limitExceeded(`Folders may lie ${MAX_LEVELS} levels deep`, '_parents');
}
