// PostgreSQL and Redis for the measurement of several workers, started as the tests start them. Each group of workers
// has its own database server; Redis keeps groups apart by their names.

type Service = Readonly<{ url: string; description: string; stop(): Promise<void> }>;
type Obtained = Service | Readonly<{ missing: string }>;

const folder = new URL('../../scripts/test-services/', import.meta.url);

/** These are plain scripts without types. */
async function obtain(file: string, name: string): Promise<Service> {
  const script = (await import(new URL(file, folder).href)) as Record<string, () => Promise<Obtained>>;
  const service = await script[name]?.();
  if (service === undefined || 'missing' in service) throw new Error(service?.missing ?? `${file} has no ${name}`);
  return service;
}

export type WorkerServices = Readonly<{
  description(): string;
  redisUrl: string | null;
  startDatabase(): Promise<string>;
  stop(): Promise<void>;
}>;

export async function startServices(usesRedis: boolean): Promise<WorkerServices> {
  const redis = usesRedis ? await obtain('redis.mjs', 'obtainRedis') : null;
  const databases: Service[] = [];
  return {
    description: () => [databases[0]?.description, redis?.description ?? 'no Redis'].join(', '),
    redisUrl: redis?.url ?? null,
    async startDatabase() {
      const database = await obtain('postgres.mjs', 'obtainPostgres');
      databases.push(database);
      return database.url;
    },
    async stop() {
      for (const { stop } of databases) await stop();
      await redis?.stop();
    },
  };
}
