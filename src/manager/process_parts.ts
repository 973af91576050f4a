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
  /** Under the lease of a leader migration, besides others. */
  readonly isMigrated: boolean;
}

/** What a shift works with. */
export interface ShiftOptions {
  readonly clients: ManagerClients;
  readonly metrics: MetricsRegistry;
  /** Open for as long as its lease is held. */
  readonly fence: SharedFence;
  mayWrite(): boolean;
}

/** The group of migrated controllers. No name that `--controller-groups` takes has an underscore. */
const MIGRATED_GROUP = "leader_migration";

/** Of a process that is given no way to any cloud. */
const NO_CLOUD: CloudAccess = {
  env: () => undefined,
  connect: () => () => Promise.reject(new Error("This process has no way to reach a cloud")),
};

/** What a process has, whether it takes part in an election or not. */
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

  /** Opens the cloud provider, where the program has one. @throws {CloudProviderError} */
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

  /** @throws {Error} Naming the group whose thread cannot be started. */
  startWorkforce({ rows, isMigrated }: Shift, { clients, metrics, fence, mayWrite }: ShiftOptions): Workforce {
    const { process: { world, options, limits, spawn }, health, cloud } = this;
    const needs = needsOf(rows);
    const common = {
      world,
      options,
      rows,
      supplies: withCloud(this.#supplies, needs.cloud ? cloud?.guard(mayWrite) : undefined),
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

  /** Frees memory for this reason; answers `false` if there is none to be freed. */
  relieve(reason: string): boolean {
    return this.#workforces.some(({ workforce }) => workforce.relieve?.(reason));
  }

  #setVerbosity(verbosity: number): void {
    this.#verbosity = verbosity;
    this.process.setVerbosity(verbosity);
    for (const { workforce } of this.#workforces) workforce.setVerbosity?.(verbosity);
  }
}

function withCloud({ files, signer, folders }: Supplies, cloud: Supplies["cloud"]): Supplies {
  return { files, signer, folders, cloud };
}

/** The groups that `names` run in; those that migrate are together in one of their own. */
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
