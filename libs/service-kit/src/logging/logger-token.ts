/** `@Inject(LOGGER) private readonly logger: Logger` */
export const LOGGER = Symbol('logger');
