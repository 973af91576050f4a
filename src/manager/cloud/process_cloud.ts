import { type Counter, errorText, type MetricsRegistry, type World } from "../../base/mod.ts";
import { Deadline, WriteRefusedError } from "../../client/mod.ts";
import {
  CAPABILITY_NAMES,
  CLOUD_PROVIDERS,
  type CloudProvider,
  CloudProviderError,
  type CloudProviderFactory,
  type CloudSetup,
  type CloudStart,
  methodsOf,
  openCloudProvider,
  type SendRequest,
} from "../../cloud/mod.ts";
import { RotatingFiles } from "../supplies/mod.ts";
import type { CloudOptions } from "./cloud_options.ts";
import { CloudGuard, CloudTimeoutError } from "./cloud_guard.ts";

/** How a process reaches clouds. */
export interface CloudAccess extends Pick<CloudSetup, "env" | "connect"> {
  /** Additional providers; they replace kubeloop's own of the same name. */
  readonly providers?: readonly CloudProviderFactory[];
}

/** What a {@link ProcessCloud} is opened with. */
export interface ProcessCloudOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly options: CloudOptions;
  readonly access: CloudAccess;
}

const CONFIG_FLAG = "cloud-config";
/** A provider may look through everything in the cloud. */
const INITIALIZES_WITHIN_MS = 300_000;

/**
 * The one cloud provider of a process.
 *
 * Contract:
 * 1. Calls go through guards, each of which asks by its own lease whether this process may write.
 * 2. Once the provider was initialized, it sends no request but GET and HEAD while a guard may not write.
 * 3. After `close` no call is made.
 */
export class ProcessCloud {
  readonly #world: World;
  readonly #provider: CloudProvider;
  readonly #files: RotatingFiles;
  readonly #sending: SendingFence;
  readonly #guards: CloudGuard[] = [];
  readonly #calls: Counter;

  private constructor(
    { world, metrics }: Pick<ProcessCloudOptions, "world" | "metrics">,
    provider: CloudProvider,
    { files, sending }: { readonly files: RotatingFiles; readonly sending: SendingFence },
  ) {
    this.#world = world;
    this.#calls = callCounter(metrics);
    const running = metrics.gauge({
      name: "kubeloop_cloud_calls",
      help: "Calls to the cloud provider that have not ended.",
    });
    running.track(() => this.#guards.reduce((sum, guard) => sum + guard.running, 0));
    this.#provider = provider;
    this.#files = files;
    this.#sending = sending;
  }

  /**
   * Makes the provider that the command line names.
   *
   * @throws {CloudProviderError} If there is none, or it cannot tell which objects belong to the cluster; in upstream's
   *   words.
   */
  static async open({ world, metrics, options, access }: ProcessCloudOptions): Promise<ProcessCloud> {
    const { name, configPath: path, clusterName, clusterCidrs, allowUntagged } = options;
    const files = new RotatingFiles(world, new Map([[CONFIG_FLAG, { path }]]));
    await files.read();
    checkReadable(files, path);
    const sending = new SendingFence();
    const provider = await openCloudProvider(name, {
      world: { ...world, log: world.log.named(name) },
      metrics,
      config: {
        path,
        get text() {
          return files.text(CONFIG_FLAG);
        },
        onChange: (listener) => files.onChange(CONFIG_FLAG, listener),
      },
      clusterName,
      clusterCidrs,
      env: access.env,
      connect: (tls) => sending.around(access.connect(tls)),
    }, known(access.providers));
    if (!provider.hasClusterId) {
      if (!allowUntagged) throw new CloudProviderError(NO_CLUSTER_ID);
      world.log.warn(UNTAGGED);
    }
    return new ProcessCloud({ world, metrics }, provider, { files, sending });
  }

  /** The provider for controllers that may act while `mayWrite` returns `true`. */
  guard(mayWrite: () => boolean): CloudProvider {
    const guard = new CloudGuard({
      clock: this.#world.clock,
      provider: this.#provider,
      mayWrite,
      onEnd: (method, result) => this.#calls.inc([method, result]),
    });
    this.#guards.push(guard);
    return guard.provider;
  }

  /**
   * Initializes the provider; call it once this process may act.
   *
   * @throws {CloudTimeoutError} If it takes longer than five minutes.
   * @throws Whatever the provider does.
   */
  async initialize(start: CloudStart, mayWrite: () => boolean): Promise<void> {
    this.#sending.add(mayWrite);
    if (!this.#provider.initialize) return;
    using deadline = new Deadline(this.#world.clock, {
      signal: start.signal,
      timeoutMs: INITIALIZES_WITHIN_MS,
      reason: () => new CloudTimeoutError("initialize", INITIALIZES_WITHIN_MS),
    });
    const { promise: late, reject } = Promise.withResolvers<never>();
    deadline.signal.addEventListener("abort", () => reject(deadline.signal.reason), { once: true });
    if (deadline.signal.aborted) reject(deadline.signal.reason);
    await Promise.race([this.#provider.initialize(start), late]);
  }

  /** From now on, write requests also require this lease. */
  fence(mayWrite: () => boolean): void {
    this.#sending.add(mayWrite);
  }

  /** Watches the configuration for changes until `signal` aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.#files.follow(signal);
  }

  close(): void {
    this.#sending.add(() => false);
    for (const guard of this.#guards) guard.close();
  }
}

const NO_CLUSTER_ID =
  "no ClusterID found.  A ClusterID is required for the cloud provider to function properly.  This check can be bypassed " +
  "by setting the allow-untagged-cloud option";
const UNTAGGED =
  "detected a cluster without a ClusterID.  A ClusterID will be required in the future.  Please tag your cluster to avoid " +
  "any future issues";

/** Holds back write requests while any of its leases is not held. */
class SendingFence {
  readonly #leases: (() => boolean)[] = [];

  add(mayWrite: () => boolean): void {
    this.#leases.push(mayWrite);
  }

  around(send: SendRequest): SendRequest {
    return async (request) => {
      const writes = request.method !== "GET" && request.method !== "HEAD";
      if (writes && !this.#leases.every((mayWrite) => mayWrite())) throw new WriteRefusedError(request);
      return await send(request);
    };
  }
}

/** kubeloop's providers, plus those that the caller brings. */
function known(own: readonly CloudProviderFactory[] = []): readonly CloudProviderFactory[] {
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...CLOUD_PROVIDERS.filter(({ name }) => !names.has(name))];
}

/** @throws {CloudProviderError} If the configuration cannot be read. */
function checkReadable(files: RotatingFiles, path: string): void {
  try {
    files.text(CONFIG_FLAG);
  } catch (cause) {
    throw new CloudProviderError(`Couldn't open cloud provider configuration ${path}: ${errorText(cause)}`, { cause });
  }
}

/** Counts calls to the cloud provider. Counters of successful calls start at zero. */
export function callCounter(metrics: MetricsRegistry): Counter {
  const calls = metrics.counter({
    name: "kubeloop_cloud_calls_total",
    help: "How often the cloud provider was asked for something, and how that ended.",
    labels: ["method", "result"],
  });
  for (const method of CAPABILITY_NAMES.flatMap(methodsOf)) calls.inc([method, "ok"], 0);
  return calls;
}
