import type { ItemRecord } from '../../platform-client/item-records';
import type { SourceFile } from '../source-file';
import type { StepContext } from '../step-context';

/** The version of an item that this import fills. */
export interface MadeVersion {
  readonly itemId: string;
  readonly userItemId: string;
  readonly versionId: string;
  readonly version: number;
  /** The version before it, where the file was imported before. */
  readonly previousId?: string;
}

export interface ImportedType {
  readonly userType: string;
  readonly itemClass: 'NamedCompositeItem' | 'NamedUserCollection';
}

export interface ImportedItem extends ImportedType {
  readonly name: string;
}

/**
 * Makes the versions that an import fills. The items of an earlier import of the same file get a new version; a file that was
 * never imported gets new items. Each version says which step made it, by which an attempt that was cut off finds its own again.
 */
export class ImportVersions {
  constructor(
    private readonly step: Pick<StepContext, 'platform' | 'namespaces' | 'runId' | 'stepId'>,
    private readonly source: SourceFile,
  ) {}

  make(wanted: ImportedItem): Promise<MadeVersion> {
    return this.step.platform.items.retrying(() => this.tryMake(wanted));
  }

  /** Removes what this step has made of it: the item where it has made that, else its version. What somebody has given another version since stays. */
  async remove(wanted: ImportedType): Promise<boolean> {
    const { items } = this.step.platform;
    const known = await this.find(wanted);
    if (known === undefined || this.ownOf(known) === undefined) return false;
    await (known._tipVersion === 1 ? items.deleteItem(known._id) : items.deleteVersion(known._id, known._tipId));
    return true;
  }

  private async tryMake(wanted: ImportedItem): Promise<MadeVersion> {
    const { items } = this.step.platform;
    const key = `${this.step.stepId} ${wanted.userType}`;
    const known = await this.find(wanted);
    if (known === undefined) return tipOf(await items.tryCreateItem(this.draft(wanted), key));
    const own = this.ownOf(known);
    if (own !== undefined) return { ...tipOf(known), ...(own.previousId !== undefined && { previousId: own.previousId }) };
    const previousId = known._tipId;
    const { _id: versionId, _version: version } = await items.tryCreateVersion(known._id, this.attributes(previousId), key);
    return { ...tipOf(known), versionId, version, previousId };
  }

  private find({ itemClass, userType }: ImportedType): Promise<ItemRecord | undefined> {
    return this.step.platform.items.findItem({ _itemClass: itemClass, _userType: userType, '_versions._userAttributes.bimpk.fileId': this.source.fileId });
  }

  /** What the version says that an earlier attempt of this step has made. */
  private ownOf({ _versions: [tip] }: ItemRecord): ImportMark | undefined {
    const mark = tip?._userAttributes?.['import'] as ImportMark | undefined;
    return mark?.stepId === this.step.stepId ? mark : undefined;
  }

  private draft({ userType, itemClass, name }: ImportedItem) {
    return {
      _name: name, _shortName: userType, _description: `Imported from ${this.source.name}`, _namespaces: this.step.namespaces,
      _userType: userType, _itemClass: itemClass, _version: { _userAttributes: this.attributes() },
    };
  }

  private attributes(previousId?: string) {
    const { runId, stepId } = this.step;
    const { fileId, fileVersionId } = this.source;
    const mark: ImportMark = { runId, stepId, ...(previousId !== undefined && { previousId }) };
    return { bimpk: { fileId, fileVersionId }, import: mark };
  }
}

/** By whom a version was made, and which one was there before. */
interface ImportMark {
  readonly runId: string;
  readonly stepId: string;
  readonly previousId?: string;
}

const tipOf = ({ _id: itemId, _userItemId: userItemId, _tipId: versionId, _tipVersion: version }: ItemRecord): MadeVersion => ({
  itemId, userItemId, versionId, version,
});
