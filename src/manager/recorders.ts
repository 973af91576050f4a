import type { MetricsRegistry, World } from "../base/mod.ts";
import type { ClientBuilder } from "../client/mod.ts";
import { EventBroadcaster, type EventRecorder } from "../events/mod.ts";

/** Options of {@link Recorders}. */
export interface RecordersOptions {
  readonly world: World;
  readonly metrics: MetricsRegistry;
  readonly clients: ClientBuilder;
}

/** The verbosity from which events are also logged, as in upstream's workload controllers. */
const EVENT_VERBOSITY = 3;

/** The event recorders of a process or thread: one broadcaster per client. */
export class Recorders implements AsyncDisposable {
  readonly #options: RecordersOptions;
  readonly #broadcasters = new Map<string, EventBroadcaster>();
  readonly #background: Promise<void>[] = [];
  readonly #stop = new AbortController();

  constructor(options: RecordersOptions) {
    this.#options = options;
  }

  /** A recorder whose events name `component` as their source and are sent by the client called `client`. */
  recorder(component: string, client: string): EventRecorder {
    let broadcaster = this.#broadcasters.get(client);
    if (!broadcaster) {
      const { world, metrics, clients } = this.#options;
      broadcaster = new EventBroadcaster({ world, metrics, client: clients.client(client) });
      this.#broadcasters.set(client, broadcaster);
      this.#background.push(broadcaster.run(this.#stop.signal));
    }
    return broadcaster.recorder(component, { verbosity: EVENT_VERBOSITY });
  }

  /** Ends all recorders; resolves once they have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#background);
  }
}
