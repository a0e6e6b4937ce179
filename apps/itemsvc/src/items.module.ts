import { Module } from '@nestjs/common';
import { ScriptRunner } from '@twinyard/scripts';
import { AggregatesController } from './aggregates/aggregates.controller';
import { ItemAggregates } from './aggregates/item-aggregates';
import { DataKeysPurge } from './encryption/data-keys-purge';
import { EncryptedContentsRepository } from './encryption/encrypted-contents.repository';
import { ResealVersion } from './encryption/reseal-version';
import { ExportedRowsRepository } from './exports/exported-rows.repository';
import { ExportsController } from './exports/exports.controller';
import { ExportsService } from './exports/exports.service';
import { ImportRows } from './imports/import-rows';
import { ImportSpool } from './imports/import-spool.repository';
import { ImportWhole } from './imports/import-whole';
import { ImportsController } from './imports/imports.controller';
import { ImportsPurge } from './imports/imports-purge';
import { ImportsRepository } from './imports/imports.repository';
import { ImportsService } from './imports/imports.service';
import { ImportsSweep } from './imports/imports-sweep';
import { PerformImport } from './imports/perform-import';
import { RowKinds } from './imports/row-kinds';
import { IndexesController } from './indexes/indexes.controller';
import { IndexesRepository } from './indexes/indexes.repository';
import { IndexesService } from './indexes/indexes.service';
import { CreateItems } from './nameditems/create-items';
import { DeleteItem } from './nameditems/delete-item';
import { ItemAccess } from './nameditems/item-access';
import { ItemWrites } from './nameditems/item-writes';
import { NamedItemsController } from './nameditems/named-items.controller';
import { NamedItemsRepository } from './nameditems/named-items.repository';
import { ItemCopies } from './nameditems/item-copies';
import { NamedItemsService } from './nameditems/named-items.service';
import { ScriptFaults } from './scripts/script-faults';
import { ScriptsController } from './scripts/scripts.controller';
import { ScriptsService } from './scripts/scripts.service';
import { ItemsPurge } from './purge/items-purge';
import { PurgedItemsRepository } from './purge/purged-items.repository';
import { MembersController } from './relatedcollections/members.controller';
import { MembersRepository } from './relatedcollections/members.repository';
import { MembersService } from './relatedcollections/members.service';
import { ReadingExpiry } from './readings/reading-expiry';
import { GatewayReadingsController } from './readings/gateway-readings.controller';
import { GatewayReadingsService } from './readings/gateway-readings.service';
import { ReadingsController } from './readings/readings.controller';
import { ReadingsRepository } from './readings/readings.repository';
import { ReadingsService } from './readings/readings.service';
import { SensorHomes } from './readings/sensors/sensor-homes';
import { SensorMemory } from './readings/sensors/sensor-memory';
import { BulkRelatedItemsController } from './relateditems/bulk-related-items.controller';
import { BulkRelatedItemsService } from './relateditems/bulk-related-items.service';
import { CollectionWrites } from './relateditems/collection-writes';
import { CreateRelatedItems } from './relateditems/create-related-items';
import { ReadRelatedItems } from './relateditems/read-related-items';
import { RelatedItemsController } from './relateditems/related-items.controller';
import { RelatedItemsRepository } from './relateditems/related-items.repository';
import { RelatedItemsService } from './relateditems/related-items.service';
import { RemoveRelatedItems } from './relateditems/remove-related-items';
import { ReplaceRelatedItems } from './relateditems/replace-related-items';
import { SourceRule } from './relateditems/source-rule';
import { IndexFaults } from './relateditems/index-faults';
import { UniqueRules } from './relateditems/unique-rules';
import { BulkUpsertsService } from './relateditems/upserts/bulk-upserts.service';
import { UpsertRelatedItems } from './relateditems/upserts/upsert-related-items';
import { RelationEnds } from './relationships/relation-ends';
import { RelationLinks } from './relationships/relation-links';
import { RelationsRepository } from './relationships/relations.repository';
import { RelationshipsController } from './relationships/relationships.controller';
import { RelationshipsService } from './relationships/relationships.service';
import { WriteRelationships } from './relationships/write-relationships';
import { GenerateSchema } from './schemadefinitions/generate-schema';
import { SchemaDefinitionsController } from './schemadefinitions/schema-definitions.controller';
import { SchemaDefinitionsRepository } from './schemadefinitions/schema-definitions.repository';
import { SchemaDefinitionsService } from './schemadefinitions/schema-definitions.service';
import { SchemasPurge } from './schemadefinitions/schemas-purge';
import { FindRelatedGraph } from './search/find-graph';
import { FindRelated } from './search/find-with-related';
import { RelatedFinder } from './search/related-finder';
import { SearchController } from './search/search.controller';
import { SearchService } from './search/search.service';
import { Storage } from './storage/storage';
import { TELEMETRY, TELEMETRY_CONTROLLERS } from './telemetry';
import { UpdateLogsController } from './updatelogs/update-logs.controller';
import { UpdateLogsRepository } from './updatelogs/update-logs.repository';
import { UpdateLogsService } from './updatelogs/update-logs.service';
import { VersionContents } from './versions/version-contents';
import { VersionController, VersionsController } from './versions/versions.controller';
import { VersionsRepository } from './versions/versions.repository';
import { VersionsService } from './versions/versions.service';

const REPOSITORIES = [NamedItemsRepository, VersionsRepository, RelatedItemsRepository, RelationsRepository, MembersRepository, ReadingsRepository, IndexesRepository, SchemaDefinitionsRepository, UpdateLogsRepository];
const NAMED_ITEMS = [ItemAccess, ItemWrites, ItemCopies, NamedItemsService, ScriptsService, ScriptFaults, { provide: ScriptRunner, useFactory: () => new ScriptRunner() }, IndexesService, CreateItems, DeleteItem, VersionsService, VersionContents, SchemaDefinitionsService, GenerateSchema, UpdateLogsService];
const RELATED_ITEMS = [
  RelatedItemsService, BulkRelatedItemsService, BulkUpsertsService, UpsertRelatedItems, CollectionWrites, CreateRelatedItems, ReplaceRelatedItems, RemoveRelatedItems, ReadRelatedItems, SourceRule, IndexFaults, UniqueRules, RelationLinks, RelationEnds,
  RelationshipsService, WriteRelationships, MembersService, ReadingsService, GatewayReadingsService, SensorHomes, { provide: SensorMemory, useFactory: () => new SensorMemory() }, ReadingExpiry, SearchService, FindRelated, FindRelatedGraph, RelatedFinder,
];

const ENCRYPTION = [EncryptedContentsRepository, ResealVersion, DataKeysPurge];

const TRANSFERS = [ImportsService, PerformImport, ImportRows, ImportWhole, RowKinds, ImportSpool, ImportsRepository, ImportsSweep, ImportsPurge, ExportsService, ExportedRowsRepository];

/** Routes are matched in this order: fixed names before `:id`. */
@Module({
  controllers: [
    SearchController, NamedItemsController, ScriptsController, IndexesController, VersionsController, VersionController, MembersController, RelationshipsController, ReadingsController, GatewayReadingsController, BulkRelatedItemsController, ImportsController, ExportsController,
    RelatedItemsController, SchemaDefinitionsController, UpdateLogsController, AggregatesController, ...TELEMETRY_CONTROLLERS,
  ],
  providers: [...TRANSFERS, Storage, ...REPOSITORIES, ...NAMED_ITEMS, ...RELATED_ITEMS, ItemAggregates, ItemsPurge, SchemasPurge, PurgedItemsRepository, ...ENCRYPTION, ...TELEMETRY],
})
export class ItemsModule {}
