import { runService } from '@twinyard/service-kit';
import { environment } from './config';
import { service } from './service';

void runService(service, environment);
