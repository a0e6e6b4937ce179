import { Inject, Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { ServiceError } from '@twinyard/conventions';
import type { Reading } from '@twinyard/documents';
import { complaintOf, type ConsoleLine, ScriptRunner } from '@twinyard/scripts';
import { ITEM_SETTINGS, type ItemSettings } from '../config';
import type { Place } from '../nameditems/item-access';
import type { NamedItem } from '../nameditems/named-item';
import { NamedItemsRepository } from '../nameditems/named-items.repository';
import { scriptSource } from '../scripts/script-source';
import type { ProcessingFault } from '../processingerrors/processing-error';
import { RelatedItemsRepository, wholeSpotOf } from '../relateditems/related-items.repository';
import { brokenness } from '../rows/json-text';
import type { Binding, TelemetryConfig } from '../telemetryconfigs/telemetry-config';
import { DESC_FIELDS } from '../telemetryconfigs/telemetry-config.parse';
import { TelemetryConfigsRepository } from '../telemetryconfigs/telemetry-configs.repository';
import { parseReadings, type ReadingDraft } from './reading.parse';

/** What is to be stored, or why nothing is. `by`: the config whose script made the readings, and may be at fault if the store refuses them. */
export type Normalized =
  | { readonly kind: 'fit'; readonly drafts: readonly ReadingDraft[]; readonly by?: Omit<ProcessingFault, 'message'> }
  | { readonly kind: 'failed'; readonly fault: ProcessingFault };

type Items = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Has the readings of bound telemetry items go through the script of their namespace (contract 2.7). Outside of any transaction: it may take seconds. */
@Injectable()
export class NormalizeReadings {
  constructor(
    private readonly configs: TelemetryConfigsRepository,
    private readonly items: NamedItemsRepository,
    private readonly related: RelatedItemsRepository,
    private readonly runner: ScriptRunner,
    @Inject(ITEM_SETTINGS) private readonly settings: ItemSettings,
  ) {}

  /** The first config that binds some of them does it: a collection in several namespaces is not normalized twice. */
  async run({ access }: RequestContext, place: Place, drafts: readonly ReadingDraft[]): Promise<Normalized> {
    for (const config of await this.configs.ofNamespaces(place.item._namespaces)) {
      const script = config._configData._normalizationScript;
      const bound = script ? await this.boundItems(config, place, drafts) : undefined;
      if (script && bound && bound.size > 0) return this.apply({ config, userType: script._userType, bound, owners: access.tenantsOf(place.item._namespaces) }, place, drafts);
    }
    return { kind: 'fit', drafts };
  }

  private async boundItems({ _configData: { _bindings } }: TelemetryConfig, place: Place, drafts: readonly ReadingDraft[]): Promise<Items> {
    const found = new Map<string, Readonly<Record<string, unknown>>>();
    const bindings = _bindings.filter((binding) => describes(binding, place.item));
    if (bindings.length === 0) return found;
    const ids = [...new Set(drafts.map(({ reading }) => reading._tsMetadata._telItemId))];
    for (const { query } of bindings) {
      for (const item of await this.related.among(wholeSpotOf(place), ids, query)) found.set(item._id, item);
    }
    return found;
  }

  private async apply({ config, userType, bound, owners }: Task, place: Place, drafts: readonly ReadingDraft[]): Promise<Normalized> {
    const script = await this.items.latestScript(config._namespaces, userType);
    const by = { configId: config._id, console: [] as readonly ConsoleLine[], ...(script && { scriptId: script._id }) };
    if (script === undefined) return { kind: 'failed', fault: { ...by, message: `There is no Script of the user type ${userType}` } };
    const isBound = ({ reading }: ReadingDraft) => bound.has(reading._tsMetadata._telItemId);
    const { _id, _userItemId, _name, _userType } = place.item;
    const context = { collection: { _id, _userItemId, _name, _userType }, items: Object.fromEntries(bound) };
    const limits = { timeMs: this.settings.TELEMETRY_SCRIPT_SECONDS * 1_000 };
    const outcome = await this.runner.run({
      source: scriptSource(script), arguments: [drafts.filter(isBound).map(({ reading }) => reading), context],
      owners, limits,
    });
    const ran = { ...by, console: outcome.console };
    if (outcome.kind !== 'returned') return { kind: 'failed', fault: { ...ran, message: complaintOf(outcome) ?? '', ...('stack' in outcome && { stack: outcome.stack as string }) } };
    const made = await parsed(outcome.result);
    if (typeof made === 'string') return { kind: 'failed', fault: { ...ran, message: made } };
    return { kind: 'fit', drafts: [...drafts.filter((draft) => !isBound(draft)), ...made], by: ran };
  }
}

interface Task {
  readonly config: TelemetryConfig;
  readonly userType: string;
  readonly bound: Items;
  /** Who shares threads with whom. */
  readonly owners: readonly string[];
}

/** Each field that the description names has one of its values. */
function describes({ collectionDesc }: Binding, item: NamedItem): boolean {
  return DESC_FIELDS.every((field) => {
    const wanted = collectionDesc[field];
    return wanted === undefined || [item[field]].flat().some((value) => [wanted].flat().includes(value));
  });
}

/** The readings, or what is wrong with what the script gave. */
async function parsed(result: unknown): Promise<readonly ReadingDraft[] | string> {
  if (!Array.isArray(result)) return 'The script must return an array of readings';
  // It was never a body of a request: nobody has looked at its texts yet.
  const fault = brokenness(result);
  if (fault !== undefined) return `The script returned something that is no reading: ${fault}`;
  try {
    return await parseReadings(result);
  } catch (error) {
    if (error instanceof ServiceError) return `The script returned something that is no reading: ${error.message}`;
    throw error;
  }
}

/** For the record: as the readings came. */
export const rawReadings = (drafts: readonly ReadingDraft[]): Reading[] => drafts.map(({ reading }) => reading);
