import { Injectable } from '@nestjs/common';
import { type Page, type Paging, type Slice, toPage } from '@twinyard/conventions';
import { ComponentCatalogue } from '../components/component-catalogue';
import { type OrchestratorDto, toOrchestratorDto } from '../orchestrators/orchestrator.dto';
import type { Orchestrator } from '../orchestrators/orchestrator.entity';
import { SchedulesRepository } from './schedules.repository';

/** Orchestrators as they are answered, each with its schedule. */
@Injectable()
export class OrchestratorRecords {
  constructor(
    private readonly catalogue: ComponentCatalogue,
    private readonly schedules: SchedulesRepository,
  ) {}

  async toRecord(orchestrator: Orchestrator): Promise<OrchestratorDto> {
    const schedules = await this.schedules.ofOrchestrators([orchestrator.id]);
    return toOrchestratorDto(orchestrator, this.catalogue, schedules.get(orchestrator.id));
  }

  async toPage(slice: Slice<Orchestrator>, paging: Paging): Promise<Page<OrchestratorDto>> {
    const schedules = await this.schedules.ofOrchestrators(slice.rows.map(({ id }) => id));
    return toPage(slice, paging, (orchestrator) => toOrchestratorDto(orchestrator, this.catalogue, schedules.get(orchestrator.id)));
  }
}
