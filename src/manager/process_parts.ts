import { MetricsRegistry } from "../base/mod.ts";
import { type BuiltController, needsOf, type Supplies } from "../controllers/mod.ts";
import type { SharedFence } from "../election/mod.ts";
import { type CloudAccess, ProcessCloud } from "./cloud/mod.ts";
import { HealthRecord, serveEndpoint } from "./endpoint/mod.ts";
import { type GroupAssignment, type GroupThread, unstartable } from "./groups/mod.ts";
import { Health } from "./health.ts";
import type { ManagerClients } from "./manager_clients.ts";
import type { ManagerProcessOptions } from "./process_options.ts";
import { answer, type Ask } from "./questions.ts";
import { SingleThread } from "./single_thread.ts";
import type { OpenSupplies } from "./supplies/mod.ts";
import { Threads } from "./threads.ts";
import type { Workforce } from "./workforce.ts";

/** Controllers that run while one lease is held. */
export interface Shift {
  readonly rows: readonly BuiltController[];
  /** Whether the lease is that of a leader migration. */
  readonly isMigrated: boolean;
}

/** Options of a shift. */
export interface ShiftOptions {
  readonly clients: ManagerClients;
  readonly metrics: MetricsRegistry;
  /** Open while its lease is held. */
  readonly fence: SharedFence;
  mayWrite(): boolean;
}

/** The group of migrated controllers. Names in `--controller-groups` cannot contain an underscore. */
const MIGRATED_GROUP = "leader_migration";

/** For a process without access to clouds. */
const NO_CLOUD: CloudAccess = {
  env: () => undefined,
  connect: () => () => Promise.reject(new Error("This process has no way to reach a cloud")),
};

/** The parts that a process has with and without an election. */
export class ProcessParts {
  readonly process: ManagerProcessOptions;
  readonly metrics: MetricsRegistry;
  readonly cloud: ProcessCloud | undefined;
  readonly health: Health;
  readonly #supplies: OpenSupplies;
  readonly #record = new HealthRecord();
  readonly #workforces: { readonly workforce: Workforce; readonly metrics: MetricsRegistry }[] = [];
  #verbosity: number;

  constructor(
    process: ManagerProcessOptions,
    { supplies, metrics, cloud }: {
      readonly supplies: OpenSupplies;
      readonly metrics: MetricsRegistry;
      readonly cloud: ProcessCloud | undefined;
    },
  ) {
    this.process = process;
    this.metrics = metrics;
    this.cloud = cloud;
    this.#supplies = supplies;
    this.#verbosity = process.options.logging.verbosity;
    this.health = new Health((name, holds) => this.#record.observe(name, holds));
  }

  /**
   * Opens the cloud provider, if the program has one.
   * @throws {CloudProviderError}
   */
  static async openCloud(
    { world, options, cloud }: ManagerProcessOptions,
    metrics: MetricsRegistry,
  ): Promise<ProcessCloud | undefined> {
    if (!options.cloud) return undefined;
    return await ProcessCloud.open({ world, metrics, options: options.cloud, access: cloud ?? NO_CLOUD });
  }

  /** Serves the secure port, if there is one. */
  async serve(): Promise<AsyncDisposable | undefined> {
    const { process: { world, options, endpointClients, migration }, health, metrics } = this;
    return await serveEndpoint({
      world,
      options,
      health,
      record: this.#record,
      metrics,
      migration,
      ask: this.#ask,
      setVerbosity: (verbosity) => this.#setVerbosity(verbosity),
      ...endpointClients,
    });
  }

  /** @throws {Error} Names the group whose thread cannot be started. */
  startWorkforce({ rows, isMigrated }: Shift, { clients, metrics, fence, mayWrite }: ShiftOptions): Workforce {
    const { process: { world, options, limits, spawn }, health, cloud } = this;
    const needs = needsOf(rows);
    const common = {
      world,
      options,
      rows,
      supplies: guarded(this.#supplies, mayWrite, needs.cloud ? cloud?.guard(mayWrite) : undefined),
      clients,
      metrics,
      health,
      fence,
      verbosity: () => this.#verbosity,
      limits,
    };
    const names = new Set(rows.map(({ name }) => name));
    const assignments = groupsOf(options.controllerGroups, names, isMigrated);
    const workforce = assignments.length === 0
      ? new SingleThread(common)
      : new Threads(common, { assignments, spawn: naming(spawn) });
    this.#workforces.push({ workforce, metrics });
    return workforce;
  }

  readonly #ask: Ask = async (question) => {
    const answers = this.#workforces.map(async ({ workforce, metrics }) => {
      const own = question.about === "metrics" && metrics !== this.metrics;
      const more = own ? [await answer(question, { metrics, debug: new Map(), journal: undefined })] : [];
      return [...more, ...await workforce.ask(question)];
    });
    return (await Promise.all(answers)).flat();
  };

  /** Restarts the largest group of the first workforce that has one. @returns Whether there was one. */
  relieve(reason: string): boolean {
    return this.#workforces.some(({ workforce }) => workforce.relieve?.(reason));
  }

  #setVerbosity(verbosity: number): void {
    this.#verbosity = verbosity;
    this.process.setVerbosity(verbosity);
    for (const { workforce } of this.#workforces) workforce.setVerbosity?.(verbosity);
  }
}

/** Nothing outside the cluster is changed unless this process may write. */
function guarded(supplies: OpenSupplies, mayWrite: () => boolean, cloud: Supplies["cloud"]): Supplies {
  const { files, signer, folders } = supplies;
  return { files, signer, folders, drivers: supplies.driversBehind(mayWrite), cloud };
}

/** The groups that `names` run in; migrating controllers share a separate one. */
function groupsOf(
  assignments: readonly GroupAssignment[],
  names: ReadonlySet<string>,
  isMigrated: boolean,
): readonly GroupAssignment[] {
  if (isMigrated && assignments.length > 0 && names.size > 0) {
    return [{ name: MIGRATED_GROUP, controllers: [...names] }];
  }
  return assignments.map(({ name, controllers }) => ({
    name,
    controllers: controllers.filter((each) => names.has(each)),
  }))
    .filter(({ controllers }) => controllers.length > 0);
}

function naming(spawn: ManagerProcessOptions["spawn"]): ManagerProcessOptions["spawn"] {
  return (group, address): GroupThread => {
    try {
      return spawn(group, address);
    } catch (cause) {
      throw new Error(unstartable(group, cause instanceof Error ? cause.message : cause), { cause });
    }
  };
}
