import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type FieldIssue, invalidFields } from '@twinyard/conventions';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { ReferenceDto, ResourceDto } from '../resources/resource.dto';
import type { Reference, ResourceKind } from '../resources/resource-kind';
import { filterIssues, type TriggerFilters } from '../triggers/trigger-filter';
import { bodyOf } from './body-of';

export interface TriggerBody {
  readonly _event: { readonly _filters: TriggerFilters };
  readonly _senders: readonly ReferenceDto[];
  readonly _templates: readonly ReferenceDto[];
  readonly _groups: readonly ReferenceDto[];
}

const References = () => applyDecorators(
  ApiPropertyOptional({ type: [ReferenceDto] }), IsOptional(), IsArray(), ArrayMaxSize(50), ValidateNested({ each: true }), Type(() => ReferenceDto),
);

export class TriggerDto extends ResourceDto {
  @ApiProperty({ enum: ['EVENT'] })
  @IsIn(['EVENT'])
  _type!: 'EVENT';

  @ApiProperty({ type: Object, example: { _filters: { filter: { event: 'resource.ResourceCreated', 'resource.type': 'filesvc.*' } } } })
  @IsObject()
  _event!: { _filters: TriggerFilters };

  @ApiPropertyOptional({ type: Object, description: 'Not in this release: a trigger that names a script is refused' })
  @IsOptional()
  @IsObject()
  _script?: Record<string, unknown>;

  @References()
  _senders?: ReferenceDto[];

  @References()
  _templates?: ReferenceDto[];

  @References()
  _groups?: ReferenceDto[];
}

const ids = (references: readonly ReferenceDto[] | undefined) => (references ?? []).map(({ _id }) => ({ _id }));

export const triggerKind: ResourceKind<TriggerDto> = {
  kind: 'trigger',
  eventType: 'notificationsvc.Trigger',
  dto: TriggerDto,
  named: true,
  toBody: (dto) => {
    const issues: FieldIssue[] = filterIssues(dto._event._filters);
    if (Object.values(dto._script ?? {}).some((value) => value !== undefined && value !== null && value !== '')) {
      issues.push({ field: '_script', issue: 'scripts are not run by this release' });
    }
    if (issues.length > 0) throw invalidFields(issues);
    return {
      _type: 'EVENT', _event: { _filters: { filter: dto._event._filters.filter } },
      _senders: ids(dto._senders), _templates: ids(dto._templates), _groups: ids(dto._groups),
      ...(dto._description !== undefined && { _description: dto._description }),
    };
  },
  references: (body) => {
    const { _senders, _templates, _groups } = bodyOf('trigger', body);
    const list = (field: string, kind: Reference['kind'], entries: readonly ReferenceDto[]) => entries.map(({ _id }, index) => ({ field: `${field}[${index}]._id`, kind, id: _id }));
    return [...list('_senders', 'sender', _senders), ...list('_templates', 'template', _templates), ...list('_groups', 'group', _groups)];
  },
};
