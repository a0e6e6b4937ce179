/** A service of nothing, to be stopped while it is asked: `node stopping-process.js`, with its settings in the environment. */
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { runService } from '../src';
import { thingsService } from './things-service';

@Controller('aisvc/api/v1/things')
class ThingsController {
  @Get()
  list(): object {
    return {};
  }

  @Post()
  @HttpCode(201)
  make(): object {
    return {};
  }

  @Get('warned')
  warned(): object {
    process.emitWarning('this is odd', 'OddWarning');
    return {};
  }

  /** The second promise fails while nobody holds it yet. */
  @Get('unheld')
  async unheld(): Promise<object> {
    const later = Promise.reject(new Error('of the second promise'));
    await new Promise((resolve) => setImmediate(resolve));
    return { later: await later.catch(() => 'too late') };
  }
}

void runService(thingsService([ThingsController]), process.env);
