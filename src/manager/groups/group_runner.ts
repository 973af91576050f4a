import { type Clock, errorText, type Logger, MetricsRegistry, systemWorld, type World } from "../../base/mod.ts";
import { createLogger, type KlogLogger } from "../../log/mod.ts";
import {
  connectionFailureOf,
  ROOT_CLIENTS,
  statusErrorOf,
  trackConnections,
  type Transport,
  TransportClientBuilder,
} from "../../client/mod.ts";
import { type ControllerDescriptor, needsOf } from "../../controllers/mod.ts";
import type { FenceReading } from "../../election/mod.ts";
import { Crew, RETRY_MS } from "../crew.ts";
import { HubClient, type Poster } from "../hub/mod.ts";
import { FileTexts } from "../supplies/mod.ts";
import { checkTopic } from "./group_access.ts";
import type { GroupCommand, GroupReport, GroupSettings } from "./group_messages.ts";
import { Outbox } from "./outbox.ts";
import { DirectClients } from "./direct_clients.ts";
import { Port } from "./port.ts";
import { portCloud, portDrivers, portFolders, portSigner } from "./port_supplies.ts";
import { portTransport } from "./port_transport.ts";

type StartCommand = Extract<GroupCommand, { readonly what: "start" }>;
type AskCommand = Extract<GroupCommand, { readonly what: "ask" }>;

/** Queries wait for their answers. */
const PAUSE_MS = 2;

/** Options of {@link GroupRunner}. */
export interface GroupRunnerOptions {
  readonly port: Poster<readonly GroupReport[]>;
  readonly clock: Clock;
  /** The world of a group that logs to `log`; by default the real one. */
  world?(log: Logger): World;
  /** The size and limit of the group's heap. */
  heap(): { readonly usedBytes: number; readonly limitBytes: number };
  /** Reads this thread's fence. */
  readonly readFence: FenceReading;
  /** Must contain the rows that it is told to run. */
  readonly rows: readonly ControllerDescriptor[];
}

/**
 * Runs a group of controllers in a thread without files and without the process's credentials. Frames come from the
 * hub; requests go to the main thread, or to the API server with short-lived tokens of accounts.
 *
 * Contract:
 * 1. After `start` the informers run and fill their caches; the controllers work from `lead` on.
 * 2. After `stop` syncs in progress are finished; `ended` says when, and whether all of them were.
 * 3. `ping` is answered as soon as the event loop turns.
 * 4. A standby that cannot build its controllers tries again, immediately if it becomes leader: what fails on a standby
 *    may work by then. A leader that cannot build them says so.
 * 5. While the API server is unreachable, a restarted group keeps trying: that is not the group's fault.
 * 6. `verbosity` changes how much is logged from then on.
 * 7. A controller that asks for what its row does not declare cannot be built.
 */
export class GroupRunner {
  readonly #options: GroupRunnerOptions;
  readonly #outbox: Outbox<GroupReport>;
  readonly #metrics = new MetricsRegistry();
  readonly #stop = new AbortController();
  readonly #port: Port;
  #hub: HubClient | undefined;
  #files: FileTexts | undefined;
  #log: KlogLogger | undefined;
  #crew: Crew | undefined;

  constructor(options: GroupRunnerOptions) {
    this.#options = options;
    this.#outbox = new Outbox(options.port, { clock: options.clock, pauseMs: PAUSE_MS });
    this.#port = new Port(this.#outbox);
  }

  /** Handles messages of the main thread. */
  receive(commands: readonly GroupCommand[]): void {
    for (const command of commands) this.#receive(command);
  }

  /** Sends pending messages at once: the last log lines say why the thread is about to end. */
  flush(): void {
    this.#outbox.flush();
  }

  #receive(command: GroupCommand): void {
    const { heap } = this.#options;
    const port = this.#outbox;
    switch (command.what) {
      case "start":
        return void this.#run(command);
      case "lead":
        return this.#crew?.lead();
      case "stop":
        return this.#stop.abort();
      case "verbosity":
        if (this.#log) this.#log.verbosity = command.verbosity;
        return;
      case "ping": {
        const { usedBytes, limitBytes } = heap();
        return port.postMessage({
          what: "pong",
          id: command.id,
          heapBytes: usedBytes,
          heapLimitBytes: limitBytes,
          setAside: this.#crew?.setAside ?? [],
        });
      }
      case "ask":
        return void this.#answer(command);
      case "reply":
      case "failure":
        return this.#port.receive(command);
      case "file":
        return this.#files?.set(command.flag, { text: command.text });
      case "fence":
        throw new Error("The fence's memory came too late: it belongs to the confinement alone");
      default:
        this.#hub?.receive(command);
    }
  }

  /** A failure leaves the question to time out: it must not end the thread. */
  async #answer({ id, question }: AskCommand): Promise<void> {
    try {
      if (this.#crew) this.#outbox.postMessage({ what: "answer", id, answer: await this.#crew.answer(question) });
    } catch (err) {
      this.#log?.error("Cannot answer a question", { err, about: question.about });
    }
  }

  #transports(
    world: World,
    { server, sendsDirectly, controllerOptions: { program } }: GroupSettings,
  ): (client: string) => Transport {
    const port = this.#port;
    if (!sendsDirectly) return (client) => portTransport(port, client);
    const direct = new DirectClients({ world, program, server, port, readFence: this.#options.readFence });
    trackConnections(this.#metrics, [direct]);
    return (client) => ROOT_CLIENTS.has(client) ? portTransport(port, client) : direct.transport(client);
  }

  async #run({ settings, isRestart }: StartCommand): Promise<void> {
    const port = this.#outbox;
    const log = this.#log = createLogger({
      format: settings.logFormat,
      verbosity: settings.verbosity,
      vmodule: settings.vmodule,
      pid: settings.pid,
      write: (line) => port.postMessage({ what: "log", line }),
    });
    const world = (this.#options.world ?? systemWorld)(log);
    let hasStarted = false;
    const crew = this.#crew = this.#crewOf(settings, world, (controllers) => {
      hasStarted = true;
      port.postMessage({ what: "started", controllers });
    });
    const mayTryAgain = (err: unknown, wasLeading: boolean) => {
      if (hasStarted || wasLeading && !(isRestart && isServerAway(err))) return false;
      world.log.warn("Cannot build the controllers and will try again", { err, retryMs: RETRY_MS });
      return true;
    };
    try {
      const isClean = await crew.run(this.#stop.signal, { mayTryAgain });
      port.postMessage({ what: "ended", isClean });
    } catch (err) {
      port.postMessage({ what: hasStarted ? "broken" : "unbuildable", message: errorText(err) });
    }
  }

  #crewOf(settings: GroupSettings, world: World, onStarted: (controllers: readonly string[]) => void): Crew {
    const port = this.#outbox;
    const metrics = this.#metrics;
    const { server, qps, burst, controllerOptions: { program } } = settings;
    const hub = this.#hub = new HubClient(world, port);
    const files = this.#files = new FileTexts(world.log, settings.files);
    const controllers = this.#options.rows.filter(({ name }) => settings.controllers.includes(name));
    const needs = needsOf(controllers);
    return new Crew({
      ...settings,
      group: settings.name,
      world,
      metrics,
      clients: new TransportClientBuilder({
        world,
        program,
        transportOf: this.#transports(world, settings),
        server,
        qps,
        burst,
        metrics,
      }),
      supplies: {
        files,
        signer: portSigner(this.#port),
        folders: portFolders(this.#port),
        drivers: portDrivers(this.#port),
        cloud: settings.cloud && portCloud(this.#port, settings.cloud),
      },
      source: (topic) => {
        checkTopic(topic, needs);
        return hub.source(topic);
      },
      controllers,
      onStarted,
      onSynced: () => port.postMessage({ what: "synced" }),
      onStopped: (controller, reason) => port.postMessage({ what: "stopped", controller, reason }),
    });
  }
}

/** Whether there was no answer, or one from an unhealthy server. */
function isServerAway(error: unknown): boolean {
  const code = statusErrorOf(error)?.code;
  return code === undefined ? connectionFailureOf(error) !== undefined : code === 429 || code >= 500;
}
