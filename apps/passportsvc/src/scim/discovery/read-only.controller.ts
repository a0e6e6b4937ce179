import { Controller, Delete, Patch, Post, Put, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AllowSignedIn } from '@twinyard/auth';
import { ServiceError } from '@twinyard/conventions';
import { ScimGuard } from '../protocol/scim.guard';

const PATHS = ['ServiceProviderConfig', 'ResourceTypes', 'ResourceTypes/:id', 'Schemas', 'Schemas/:id'];

/** RFC 7644 section 4 knows GET alone for discovery; whoever tries another method is told so (RFC 9110 section 15.5.6). */
@ApiExcludeController()
@UseGuards(ScimGuard)
@Controller('passportsvc/api/v1/scim')
export class ReadOnlyController {
  @Post(PATHS)
  @AllowSignedIn({ scope: 'own' })
  post(): never {
    return refuse();
  }

  @Put(PATHS)
  @AllowSignedIn({ scope: 'own' })
  put(): never {
    return refuse();
  }

  @Patch(PATHS)
  @AllowSignedIn({ scope: 'own' })
  patch(): never {
    return refuse();
  }

  @Delete(PATHS)
  @AllowSignedIn({ scope: 'own' })
  delete(): never {
    return refuse();
  }
}

function refuse(): never {
  throw new ServiceError('method_not_allowed', 'There is only GET for this');
}
