// The settings of the embedded server: small and durable. They are passed on the command line, so that a folder from an
// earlier build runs with the settings of this one.

export const PORT = 5432;

export function serverParameters(cluster: string, socketFolder: string): string[] {
  const settings: Readonly<Record<string, string | number>> = {
    listen_addresses: '',
    port: PORT,
    unix_socket_directories: `"${socketFolder}"`,
    unix_socket_permissions: '0700',
    max_connections: 100,
    shared_buffers: '64MB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    max_wal_size: '512MB',
    max_worker_processes: 4,
    max_parallel_workers: 2,
    max_logical_replication_workers: 0,
    io_method: 'sync',
    jit: 'off',
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    // Failed statements are reported to the gateway, which logs them without the values that PostgreSQL would quote.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    log_line_prefix: '%m [%p] ',
  };
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
