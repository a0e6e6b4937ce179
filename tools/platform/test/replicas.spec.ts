import { RunningPlatform } from './running-platform';
import { describeScaledPlatform, SCALED } from './scaled-platform.contract';

describeScaledPlatform('the stores of one machine', () => RunningPlatform.start(SCALED));
