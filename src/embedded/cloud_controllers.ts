import { MetricsRegistry, type World } from "../base/mod.ts";
import type { ClientBuilder } from "../client/mod.ts";
import type { CloudProvider } from "../cloud/mod.ts";
import { type ControllerDescriptor, CONTROLLERS, type Journal, needsOf } from "../controllers/mod.ts";
import {
  CLOUD_CONTROLLER_MANAGER,
  CloudGuard,
  ControllerManager,
  managerFlags,
  type ManagerOptions,
  managerOptions,
  OpenSupplies,
  runSettings,
} from "../manager/mod.ts";

/** Options of {@link CloudControllers}. */
export interface CloudControllersOptions {
  /** The provider's name. */
  readonly provider: string;
  /** Entries of `--controllers`. */
  readonly controllers?: readonly string[];
  /** Ranges of pods, one of each family. */
  readonly clusterCidrs: readonly string[];
}

/** The connection that cloud controllers are built with. */
export interface CloudControllersConnection {
  readonly world: World;
  readonly clients: ClientBuilder;
  readonly cloud: CloudProvider;
  /** Whether they may change the cloud. */
  mayWrite(): boolean;
  readonly journal?: Journal;
}

/** Also runs in kube-controller-manager, which allocates the ranges. */
const ELSEWHERE = "node-ipam-controller";

/**
 * The controllers that call a cloud, as cloud-controller-manager runs them, in the current process.
 *
 * @throws {FlagError | UnknownControllerError} For flags that cloud-controller-manager refuses.
 */
export class CloudControllers {
  readonly #options: ManagerOptions;
  readonly #rows: readonly ControllerDescriptor[];

  constructor({ provider, controllers = ["*"], clusterCidrs }: CloudControllersOptions) {
    const flags = [
      `--cloud-provider=${provider}`,
      `--cluster-cidr=${clusterCidrs.join(",")}`,
      `--controllers=${[...controllers, `-${ELSEWHERE}`].join(",")}`,
    ];
    const options = this.#options = managerOptions(managerFlags(flags, CLOUD_CONTROLLER_MANAGER));
    this.#rows = CONTROLLERS.filter(({ name, needs }) => needs?.cloud && options.controllers.has(name));
  }

  get names(): readonly string[] {
    return this.#rows.map(({ name }) => name);
  }

  /** Makes a manager without state. */
  build({ world, clients, cloud, mayWrite, journal }: CloudControllersConnection): CloudRun {
    const guard = new CloudGuard({ clock: world.clock, provider: cloud, mayWrite });
    const { files, signer, folders, drivers } = new OpenSupplies(world, needsOf(this.#rows));
    const manager = new ControllerManager({
      world,
      clients,
      journal,
      metrics: new MetricsRegistry(),
      controllers: this.#rows,
      supplies: { files, signer, folders, drivers, cloud: guard.provider },
      ...runSettings(this.#options),
    });
    return {
      run: async (signal) => {
        signal.addEventListener("abort", () => guard.close(), { once: true });
        await manager.run(signal);
      },
    };
  }
}

/** Something that runs until its signal aborts. */
export interface CloudRun {
  run(signal: AbortSignal): Promise<void>;
}

/** The cloud lists only routes that it created, so all of them may be managed. */
const ALL_RANGES = ["0.0.0.0/0", "::/0"];

/** The pod ranges in `--cluster-cidr`; all addresses if it is empty. */
export function clusterCidrs(flag: string): readonly string[] {
  return flag === "" ? ALL_RANGES : flag.split(",");
}

/** Runs both managers; the end of one ends the other. */
export function bothManagers(manager: ControllerManager, cloud: CloudRun): CloudRun {
  return {
    run: async (signal) => {
      const failed = new AbortController();
      const either = AbortSignal.any([signal, failed.signal]);
      const runs = [manager.run(either), cloud.run(either)].map((run) => run.finally(() => failed.abort()));
      const ends = await Promise.allSettled(runs);
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    },
  };
}

const FLAG = "--controllers=";

/**
 * Splits the entries of a `--controllers` for all controllers into those that call a cloud and the others.
 *
 * @param hasCloud Whether controllers that call a cloud may be named.
 */
export function splitFlags(
  flags: readonly string[],
  hasCloud: boolean,
): { readonly managerFlags: readonly string[]; readonly controllers: readonly string[] } {
  const given = flags.filter((flag) => flag.startsWith(FLAG)).flatMap((flag) => flag.slice(FLAG.length).split(","));
  if (!hasCloud || given.length === 0) return { managerFlags: flags, controllers: ["*"] };
  const known = CLOUD_CONTROLLER_MANAGER.controllers.filter(({ name }) => name !== ELSEWHERE);
  const names = new Set(known.flatMap(({ name, aliases }) => [name, ...aliases]));
  const isAsked = (entry: string) => names.has(entry.replace(/^-/, ""));
  const others = given.filter((entry) => !isAsked(entry));
  return {
    managerFlags: [
      ...flags.filter((flag) => !flag.startsWith(FLAG)),
      // A list without an enabling entry enables nothing.
      `${FLAG}${(others.length > 0 ? others : [`-${ELSEWHERE}`]).join(",")}`,
    ],
    controllers: given.filter((entry) => entry === "*" || isAsked(entry)),
  };
}
