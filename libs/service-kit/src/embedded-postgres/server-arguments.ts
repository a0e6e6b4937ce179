interface ServerSettings {
  readonly files: string;
  readonly port: number;
  readonly durable: boolean;
  readonly maxConnections: number;
}

/** For one machine: the platform as a whole has 1.5 GB, and of the buffers only those that are used take memory. Only 127.0.0.1, no socket file (their paths are limited to about 100 characters). */
export function serverArguments({ files, port, durable, maxConnections }: ServerSettings): string[] {
  const settings: Record<string, string | number> = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: maxConnections,
    shared_buffers: '128MB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    jit: 'off', // compiling a query costs more than these queries take
    io_method: 'sync', // no extra processes for reading ahead
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_logical_replication_workers: 0, // no launcher process
    bgwriter_delay: '2s', // of the buffers that a query wants, few are dirty; 200 ms wakes an idle machine for nothing
    wal_writer_delay: '2s', // commits flush by themselves
    min_wal_size: '48MB',
    max_wal_size: '512MB',
    checkpoint_completion_target: 0.9,
    log_min_messages: 'warning',
    log_checkpoints: 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
    // What a killed process waited for is let go, with all that its transaction holds.
    ...(process.platform !== 'win32' && { client_connection_check_interval: '1s' }),
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_wal_size: '2GB', autovacuum_naptime: '10min' }),
  };
  return ['-D', files, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
